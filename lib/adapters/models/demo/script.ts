import { shortenedText } from '../../../core/cut-text.ts'

/** A tool call since the last prompt, and the beginning of its result. */
type Done = { name: string; arguments: string; answer: string }

export type Progress = { prompt: string; done: readonly Done[]; tools: ReadonlySet<string> }

export const DISCLAIMER = 'This is the scripted demo model, not an AI.'
const NOTES_FILE = 'demo-notes.md'

/** What the demo model does in one step. */
export type Act =
  | { do: 'answer'; text: string }
  | { do: 'call'; text: string; name: string; arguments: string }
  | { do: 'fail'; status: number }
  | { do: 'cut' }

/** The orders of a prompt, one per step, and the settings of all its answers. */
type Directives = { orders: Act[]; slowMs: number; thought: string }

const LINE = /^\s*demo:\s*(\w+)\s*(.*)$/i

const parseOrder = (word: string, rest: string, step: number): Act | undefined => {
  if (word === 'say') return { do: 'answer', text: `${DISCLAIMER} ${rest}` }
  if (word === 'cut') return { do: 'cut' }
  if (word === 'fail') return { do: 'fail', status: Number.parseInt(rest, 10) || 500 }
  if (word !== 'tool') return undefined
  const [name = '', ...json] = rest.split(' ')
  const text = `${DISCLAIMER} Step ${step}, as ordered.`
  return { do: 'call', text, name, arguments: json.join(' ').trim() || '{}' }
}

/** Reads the `demo:` lines of a prompt; unknown lines are plain text. `server.ts` lists them all. */
export const readDirectives = (prompt: string): Directives => {
  const directives: Directives = { orders: [], slowMs: 0, thought: '' }
  for (const line of prompt.split('\n')) {
    const [, word = '', rest = ''] = LINE.exec(line) ?? []
    const order = parseOrder(word.toLowerCase(), rest.trim(), directives.orders.length + 1)
    if (order) directives.orders.push(order)
    if (word === 'slow') directives.slowMs = Math.min(Number.parseInt(rest, 10) || 0, 600_000)
    if (word === 'think') directives.thought = rest.trim()
  }
  return directives
}

const MOST = 2_000
const oneLine = (text: string, most: number): string => shortenedText(text.replace(/\s+/g, ' ').trim(), most)

const promptTitle = (prompt: string): string => {
  const first = prompt.split('\n').find((line) => line.trim() !== '') ?? 'Untitled'
  return oneLine(first.replace(/^#+\s*|^task:\s*/i, ''), 100)
}

const quoted = (text: string): string =>
  shortenedText(text.trim(), MOST)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

const notes = (prompt: string): string => `# ${promptTitle(prompt)}

${DISCLAIMER} It wrote this note to show the way of a task through the service.

## The request

${quoted(prompt)}
`

// The same three steps for every task, so that a reader sees each kind of tool: look, write, check.
const usualPlan = ({ prompt, tools }: Progress): Act[] =>
  [
    { name: 'list_files', input: {}, why: 'It looks at the workspace.' },
    { name: 'write_file', input: { path: NOTES_FILE, content: notes(prompt) }, why: 'It writes a note.' },
    { name: 'read_file', input: { path: NOTES_FILE }, why: 'It reads the note again to check it.' },
  ]
    .filter(({ name }) => tools.has(name))
    .map(({ name, input, why }) => ({
      do: 'call',
      text: `${DISCLAIMER} ${why}`,
      name,
      arguments: JSON.stringify(input),
    }))

const pathIn = (json: string): string => {
  try {
    const path: unknown = JSON.parse(json).path
    return typeof path === 'string' ? ` ${path}` : ''
  } catch {
    return ''
  }
}

const line = ({ name, arguments: given, answer }: Done): string =>
  `- ${name}${pathIn(given)}: ${oneLine(answer, 100) || '(empty answer)'}`

const summary = ({ prompt, done }: Progress): string => {
  if (done.length > 0)
    return `${DISCLAIMER} For “${promptTitle(prompt)}” it called these tools, which answered:\n${done.map(line).join('\n')}`
  return `${DISCLAIMER} It cannot answer. Your message was: “${oneLine(prompt, 200)}” Add a model key for real answers.`
}

/** The next act: the prompt's orders in turn if it has any, else the usual plan, and a summary at the end. */
export const nextAct = (progress: Progress): Act => {
  const step = progress.done.length
  const { orders } = readDirectives(progress.prompt)
  const next = orders.length > 0 ? orders[step] : usualPlan(progress)[step]
  return next ?? { do: 'answer', text: summary(progress) }
}
