import type { Subject } from '../../data/attempts.ts'

/** Something that can be compared, with its name in the address and for people. */
export type NamedSubject = Subject & { id: string; name: string }

/** The last two attempts; else this turn and the one before it; else this task and its retry, or what it is a retry of. */
export const defaultPair = (
  subjects: readonly NamedSubject[],
  taskId: string,
): readonly [NamedSubject | undefined, NamedSubject | undefined] => {
  const attempts = subjects.filter(({ attemptId }) => attemptId !== undefined)
  if (attempts.length > 1) return [attempts.at(-2), attempts.at(-1)]
  const at = Math.max(
    1,
    subjects.findIndex(({ id }) => id === taskId),
  )
  return [subjects[at - 1], subjects[at]]
}
