// Runs before the first paint, so that the other theme does not flash. A file of its own: the page has no inline
// script.
{
  let chosen
  try {
    chosen = localStorage.getItem('theme')
  } catch {
    // Storage is switched off: the system decides.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', isDark)
}
