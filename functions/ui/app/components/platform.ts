const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** How the keyboard of this machine calls the key that goes with a letter: `⌘K`, `Ctrl+K`. */
export const withCommand = (letter: string, between: ' ' | '+' = '+') =>
  isMac ? `⌘${letter}` : `Ctrl${between}${letter}`
