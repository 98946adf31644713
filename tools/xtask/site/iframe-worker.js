// The search runs in a worker, and browsers start none for pages from file://. There, this class is the worker: an
// invisible frame that runs the script of the worker, with messages in both directions.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      addEventListener("message", (event) => {
        if (event.source === this.inner)
          this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      });
      const text = this.inner.document;
      text.open();
      text.write(
        `<script>postMessage = (data) => parent.postMessage(data, "*");</script><script src="${url}"></script>`,
      );
      text.close();
      // After the document is opened, which removes the listeners of the window.
      this.started = new Promise((resolve) => (this.inner.onload = resolve));
    }

    postMessage(data) {
      const message = { data: structuredClone(data) };
      this.started.then(() => this.inner.dispatchEvent(new MessageEvent("message", message)));
    }
  };
  window.Worker = window.IFrameWorker;
}
