import type { Cell } from './scalar.ts'

/**
 * Statements to run in one transaction. `define` are SQL texts that take the next free numbers; `steps` is flat: the
 * number of a statement, how many values follow, the values. `era` grows when a script has failed: what was decided on
 * top of it carries the old one and must not run.
 */
export type Script = { era: number; define: string[]; steps: Cell[] }

/** Runs scripts in the order they are given. Rejects with what SQLite raised; nothing of that script remains then. */
export interface Writer {
  run(script: Script): Promise<void>
  /** Folds the log back into the file and lets go of it, after the scripts that were given. */
  close(): Promise<void>
}

export type Draft = ReturnType<typeof createDraft>

/** The script under construction. Statements are numbered once and for all; both sides keep them prepared. */
export const createDraft = () => {
  const numbers = new Map<string, number>()
  let define: string[] = []
  let steps: Cell[] = []
  let era = 0
  let characters = 0
  const statement = (sql: string): number => {
    const known = numbers.get(sql)
    if (known !== undefined) return known
    numbers.set(sql, numbers.size)
    define.push(sql)
    return numbers.size - 1
  }
  const begin = (number: number, values: number): void => {
    steps.push(number, values)
  }
  const value = (one: Cell): void => {
    steps.push(one)
    if (typeof one === 'string') characters += one.length
  }
  return {
    statement,
    /** A step of so many values, which are given by `value` next. */
    begin,
    value,
    add: (number: number, values: readonly Cell[]): void => {
      begin(number, values.length)
      for (const one of values) value(one)
    },
    /** How much text the script holds. */
    get characters() {
      return characters
    },
    /** Where the script ends now, for `cut` to take back what was added since. */
    get end() {
      return steps.length
    },
    cut: (end: number): void => {
      steps.length = end
    },
    /** The era of what is being decided now. */
    get era() {
      return era
    },
    take: (): Script => {
      const script = { era, define, steps }
      define = []
      steps = []
      characters = 0
      return script
    },
    /**
     * Drops the steps: a script before them failed. Statements are numbered for good, so the writer has yet to hear of those
     * that only a script which is `dropped` told it of.
     */
    startOver: (dropped: readonly Script[]): void => {
      era += 1
      define = [...dropped.flatMap((script) => script.define), ...define]
      steps = []
      characters = 0
    },
  }
}
