/** `?tab=…` */
export const tabs = {
  output: 'Output',
  changes: 'Changes',
  log: 'Log',
  compare: 'Compare',
  input: 'Input',
  usage: 'Usage',
  raw: 'Raw',
} as const

export type Tab = keyof typeof tabs

const isTab = (value: unknown): value is Tab => typeof value === 'string' && Object.hasOwn(tabs, value)

/**
 * `attempt` is the id of an earlier attempt; `first` and `second` are what is compared: attempts of the task, or tasks; `trace` opens the
 * trace.
 */
export type TaskSearch = { tab?: Tab; attempt?: string; first?: string; second?: string; trace?: true }

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export const taskSearch = (search: Record<string, unknown>): TaskSearch => {
  const [attempt, first, second] = [text(search.attempt), text(search.first), text(search.second)]
  return {
    ...(isTab(search.tab) ? { tab: search.tab } : {}),
    ...(attempt ? { attempt } : {}),
    ...(first ? { first } : {}),
    ...(second ? { second } : {}),
    ...(search.trace === true || search.trace === 'true' ? { trace: true } : {}),
  }
}
