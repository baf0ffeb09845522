/** Something in a call that may be a path: as it was written, and where it really leads (undefined: out of the workspace). */
export type PathFact = { given: string; real: string | undefined }

/** What guards judge: facts gathered beforehand, so that each guard is a pure function. */
export type GuardFacts = {
  paths: readonly PathFact[]
  /** The words of a command line; empty for tools that run none. */
  words: readonly string[]
  /** Whether the user has made fewer calls in the last minute than `callsPerMinute`; this one is counted then. */
  withinRate: boolean
  callsPerMinute: number
}

export type GuardName = 'path-traversal' | 'shell-injection' | 'secret-exfiltration' | 'rate-limit'

/** A guard answers undefined, or the reason for its refusal in words that the model can act on. */
export type Guard = { name: GuardName; refuses(facts: GuardFacts): string | undefined }

/** The first answer that `check` gives for a list. */
export const firstRefusal = <Item>(
  items: readonly Item[],
  check: (item: Item) => string | undefined,
): string | undefined => {
  for (const item of items) {
    const reason = check(item)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** A quoted, shortened form of model text, safe to put into a reason. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)
