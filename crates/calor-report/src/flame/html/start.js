// Starts every flame graph of the page; a page without weights has none.

for (const root of document.querySelectorAll('.flame')) {
  if (root.querySelector('.flame-data')) new Graph(root).start();
}
