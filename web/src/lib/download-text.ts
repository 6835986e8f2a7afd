/** Saves a text as a file of the visitor's machine. */
export function downloadText(fileName: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // Revoking at once cancels the download in some browsers.
  window.setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 1000);
}
