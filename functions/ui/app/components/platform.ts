const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** `⌘K` or `Ctrl+K` */
export const withCommand = (letter: string, between: ' ' | '+' = '+') =>
  isMac ? `⌘${letter}` : `Ctrl${between}${letter}`
