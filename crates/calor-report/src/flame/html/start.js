// Starts every flame graph of the page; a page without weights has none.

[...document.querySelectorAll('.flame')].filter((root) => root.querySelector('.flame-data')).forEach((root, place) => {
  new Graph(root, place === 0 ? 'flame' : `flame${place + 1}`).start();
});
