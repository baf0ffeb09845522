const QUOTED = /(['"])\/[^'"\n]*\1/g
const PLAIN = /(?<![\w:/.~-])\/[^\s'":,;)]+/g

/** A text in which `…` replaces absolute paths, quoted or not. Addresses such as `https://host/path` stay. */
export const withoutPaths = (text: string): string => text.replace(QUOTED, '…').replace(PLAIN, '…')
