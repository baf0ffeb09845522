import type { CreateTask } from '../tasks/schema.ts'

type Priority = CreateTask['priority']

const byLabel: Readonly<Record<string, Priority>> = {
  critical: 1,
  p0: 1,
  high: 2,
  p1: 2,
  low: 4,
  p3: 4,
}

/** What the labels say, the most urgent of them; else what the tracker says itself; else 3. */
export const priorityOf = (labels: readonly string[], own: Priority | undefined): Priority => {
  const said = labels.map((label) => label.toLowerCase()).filter((label) => Object.hasOwn(byLabel, label))
  const found = said.flatMap((label) => byLabel[label] ?? [])
  return found.sort((a, b) => a - b)[0] ?? own ?? 3
}
