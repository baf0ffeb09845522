/** Finds the forms of secrets in a text that may continue. */
export type SecretMatcher = {
  /** The first form at or after an index, the longest where several begin; undefined for none. */
  next(text: string, from: number): { at: number; end: number } | undefined
  /** The first index from `from` on where the text begins a form that later text may complete; its length for none. */
  openFrom(text: string, from: number): number
}

/** The number of characters that rule out nearly every index of a text. */
const HEAD = 3

/** A number for the first characters of a form, or of a text from an index on. Equal characters give equal numbers. */
const headAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1)) * 0x10000 + text.charCodeAt(at + 2)

/** Searches sorted forms: those with a common beginning are neighbours. No form is shorter than three characters. */
export const createSecretMatcher = (forms: readonly string[]): SecretMatcher => {
  // The engine searches a hundred times faster than a loop over the characters.
  const pattern = formsPattern(forms)
  const sorted = forms.toSorted((a, b) => (a < b ? -1 : 1))
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)
  const longest = longestFirst[0]?.length ?? 0
  const heads = new Set(forms.map((form) => headAt(form, 0)))

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

  /** Whether the end of the text, from an index on, is the beginning of a longer form. */
  const isOpenAt = (text: string, at: number): boolean =>
    (text.length - at < HEAD || heads.has(headAt(text, at))) && isBeginning(text.slice(at))

  return {
    next: (text, from) => {
      pattern.lastIndex = from
      const found = pattern.exec(text)
      return found === null ? undefined : { at: found.index, end: found.index + found[0].length }
    },
    openFrom: (text, from) => {
      let at = Math.max(from, text.length - longest + 1)
      while (at < text.length && !isOpenAt(text, at)) at += 1
      return Math.min(at, text.length)
    },
  }
}

/** Matches the forms, the longest first: a secret may begin with a shorter one. */
export const formsPattern = (forms: readonly string[]): RegExp => {
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)
  return new RegExp(forms.length === 0 ? '(?!)' : longestFirst.map(RegExp.escape).join('|'), 'g')
}
