import { withCommand } from '../components/platform.ts'

/** The places where a key acts, in the order of the list of keys. */
export const places = [
  'Everywhere',
  'In a list',
  'In the inbox',
  'A task or a failure, on its page or in a list',
  'On a task',
] as const

type Entry = {
  /** The `key` of the event; `Mod+` is ⌘ or Ctrl, and acts in fields and dialogs as well. */
  key: string
  does: string
  where: (typeof places)[number]
  /** How the key is written, if not by its name. */
  written?: string
  /** The browser acts on it, by the focused link. */
  isNative?: true
}

/** Each key of the page has one meaning here: it is bound by its name, and listed under `?`. */
export const keyTable = {
  palette: { key: 'Mod+k', does: 'Search and jump', where: 'Everywhere', written: withCommand('K', ' ') },
  create: { key: 'c', does: 'Create a task', where: 'Everywhere' },
  search: { key: '/', does: 'Search tasks', where: 'Everywhere' },
  undo: { key: 'z', does: 'Undo a cancellation or “Mark as done”', where: 'Everywhere' },
  help: { key: '?', does: 'Show this list', where: 'Everywhere' },
  close: { key: 'Escape', does: 'Close, or clear the selection', where: 'Everywhere', written: 'Esc' },
  next: { key: 'j', does: 'Next row', where: 'In a list' },
  previous: { key: 'k', does: 'Previous row', where: 'In a list' },
  open: { key: 'Enter', does: 'Open the row', where: 'In a list', isNative: true },
  peek: { key: ' ', does: 'Preview the task', where: 'In a list', written: 'Space' },
  select: { key: 'x', does: 'Select the row', where: 'In a list' },
  done: { key: 'e', does: 'Mark as done', where: 'In the inbox' },
  snooze: { key: 's', does: 'Snooze', where: 'In the inbox' },
  retry: {
    key: 'r',
    does: 'Retry; in the inbox, all failures of that cause',
    where: 'A task or a failure, on its page or in a list',
  },
  cancel: {
    key: 'Backspace',
    does: 'Cancel the task',
    where: 'A task or a failure, on its page or in a list',
    written: '⌫',
  },
  edit: { key: 'E', does: 'Edit and run again', where: 'On a task', written: 'Shift E' },
  reply: { key: 'm', does: 'Reply', where: 'On a task' },
  trace: { key: 't', does: 'Show the trace', where: 'On a task' },
  files: { key: 'f', does: 'Show the list of changed files', where: 'On a task' },
  before: { key: '[', does: 'Previous task in the list', where: 'On a task' },
  after: { key: ']', does: 'Next task in the list', where: 'On a task' },
} as const satisfies Readonly<Record<string, Entry>>

export type KeyName = keyof typeof keyTable

const entries: Readonly<Record<string, Entry>> = keyTable

/** `Backspace` → `⌫`, as tooltips and the list of keys write it. */
export const writtenKey = (name: KeyName): string => {
  const { key, written = key }: Entry = keyTable[name]
  return written
}

export const listedKeys = (place: Entry['where']) =>
  Object.values(entries)
    .filter(({ where }) => where === place)
    .map(({ key, does, written = key }) => ({ written, does }))
