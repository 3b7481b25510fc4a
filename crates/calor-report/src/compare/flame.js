// Widens the frame that is pressed to the whole picture; its callers above it lead back.
for (const picture of document.querySelectorAll(".union")) {
  const frames = [...picture.children].map((element) => (
    { element, left: Number(element.dataset.left), width: Number(element.dataset.width) }
  ));
  const show = (left, width) => {
    for (const frame of frames) {
      const start = Math.max(frame.left, left);
      const end = Math.min(frame.left + frame.width, left + width);
      frame.element.hidden = end - start < width * 0.0004;
      frame.element.style.left = `${(start - left) / width * 100}%`;
      frame.element.style.width = `${(end - start) / width * 100}%`;
    }
  };
  const press = (event) => {
    const frame = frames.find((frame) => frame.element === event.target);
    if (frame) show(frame.left, frame.width);
  };
  picture.addEventListener("click", press);
  picture.addEventListener("keydown", (event) => { if (event.key === "Enter") press(event); });
}
