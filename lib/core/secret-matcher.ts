/** Finds the forms of secrets in a text that may continue. */
export type SecretMatcher = {
  /** The length of the longest form at an index of a text; 0 for none. */
  lengthAt(text: string, at: number): number
  /** Whether the end of the text, from an index on, is the beginning of a form that later text may complete. */
  isOpenAt(text: string, at: number): boolean
}

/** The number of characters that rule out nearly every index of a text. */
const HEAD = 3

/** A number for the first characters of a form, or of a text from an index on. Equal characters give equal numbers. */
const headAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1)) * 0x10000 + text.charCodeAt(at + 2)

/**
 * Searches sorted forms, in which forms with a common beginning are neighbours. It needs no memory beside the forms, and
 * its time hardly depends on their number. No form is shorter than three characters.
 */
export const createSecretMatcher = (forms: readonly string[]): SecretMatcher => {
  const sorted = forms.toSorted((a, b) => (a < b ? -1 : 1))
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)
  const heads = new Map<number, string[]>()
  for (const form of longestFirst) {
    const head = headAt(form, 0)
    const same = heads.get(head)
    if (same) same.push(form)
    else heads.set(head, [form])
  }

  /** Whether a longer form begins with these characters. */
  const isBeginning = (text: string): boolean => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((sorted[middle] ?? '') > text) to = middle
      else from = middle + 1
    }
    return sorted[from]?.startsWith(text) ?? false
  }

  return {
    lengthAt: (text, at) =>
      heads.get(headAt(text, at))?.find((form) => text.startsWith(form, at))?.length ?? 0,
    isOpenAt: (text, at) => {
      const left = text.length - at
      if (left >= HEAD && !heads.has(headAt(text, at))) return false
      return left < (longestFirst[0]?.length ?? 0) && isBeginning(text.slice(at))
    },
  }
}
