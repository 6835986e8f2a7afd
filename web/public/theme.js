// Sets the theme before the first paint. The choice is kept under the same key by lib/theme.ts.
(function () {
  var choice = 'auto';
  try {
    choice = localStorage.getItem('wildfire-theme') || 'auto';
  } catch {
    // Storage may be blocked; the system's theme is a good answer then.
  }
  var dark =
    choice === 'dark' ||
    (choice !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark', dark);
})();
