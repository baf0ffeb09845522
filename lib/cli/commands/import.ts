import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../api/api-error.ts'
import { createListCutter } from '../../core/json-list.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { type Service, steadily } from '../service.ts'
import { safeLine, type Terminal } from '../terminal.ts'

/** The tasks of one request: the cloud takes 6 MB, in which each quote is escaped once more, and 29 s. */
const PART = { tasks: 500, bytes: 2 * 1_048_576 }
/** The service's limit of one task, and of a file beside its tasks. */
const MOST_BYTES = 1_048_576
/** Statuses of temporary errors: the part is sent again, and tasks stored before are skipped. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
const PAUSE_MS = 1_000
const MOST_TRIES = 30
const MOST_ERRORS = 100

type Item = { index: number; bytes: Buffer }
type Refusal = { index: number; id?: string; message: string }
type Results = { imported: number; skipped: number; errors: Refusal[]; moreErrors?: number }

export const importTasks = defineCommand({
  name: 'import',
  usage: '<file> | -',
  about: 'Restore tasks from an export (admins only).',
  details: `The file can have any size; it is sent in parts. Use - to read standard input. Tasks that already exist are skipped, so run the
same command again to continue an interrupted import. Tasks that the service rejects are listed, and the rest is imported.`,
  options: {},
  words: [1, 1],
  run: async ({ values, words: [file = '-'], terminal, service }) => {
    const pieces = file === '-' ? terminal.pieces() : createReadStream(file)
    const results = await importAll(pieces, service(), terminal)
    const { imported, skipped, errors, moreErrors = 0 } = results
    const refused = errors.length + moreErrors
    if (values.json) terminal.json({ results })
    else terminal.out(`imported ${imported}, skipped ${skipped}, rejected ${refused}`)
    for (const { index, id, message } of errors)
      terminal.say(safeLine(`task ${index}${id === undefined ? '' : ` (${id})`}: ${message}`))
    if (moreErrors > 0) terminal.say(`${moreErrors} more rejected`)
    return refused === 0 ? EXIT.done : EXIT.failed
  },
})

const importAll = async (
  pieces: AsyncIterable<Buffer>,
  service: Service,
  terminal: Terminal,
): Promise<Results> => {
  const cutter = createListCutter('tasks', {
    mostItems: Number.POSITIVE_INFINITY,
    mostBytesAround: MOST_BYTES,
  })
  const results: Results = { imported: 0, skipped: 0, errors: [] }
  let sent = 0
  try {
    for await (const part of requestParts(cutItems(cutter, pieces))) {
      // The service decides which versions it reads.
      await send(part, versionIn(cutter.before()), service, results)
      sent += part.length
      if (terminal.isInteractive) terminal.say(`${sent} tasks sent`)
    }
    const { around, count } = cutter.end()
    if (!isJson(around))
      throw new Error(`The file is incomplete or not valid JSON after its first ${count} tasks`)
    return results
  } catch (thrown) {
    if (sent > 0)
      terminal.say(
        `${sent} tasks were sent. Run the same command again to continue; existing tasks are skipped.`,
      )
    throw thrown
  }
}

type Cutter = ReturnType<typeof createListCutter>

async function* cutItems(cutter: Cutter, pieces: AsyncIterable<Buffer>): AsyncGenerator<Item> {
  let index = 0
  for await (const piece of pieces) {
    cutter.push(piece)
    for (const bytes of cutter.take()) yield { index: index++, bytes }
  }
  for (const bytes of cutter.end().items()) yield { index: index++, bytes }
}

/** Yields at least one part, so that the service checks the version of a file without tasks. */
async function* requestParts(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let part: Item[] = []
  let bytes = 0
  for await (const item of items) {
    if (part.length === PART.tasks || (part.length > 0 && bytes + item.bytes.length > PART.bytes)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(item)
    bytes += item.bytes.length
  }
  yield part
}

/** Throws for a file that does not begin as an export does: with its version, before its tasks. */
const versionIn = (before: Buffer): '1.0' => {
  try {
    return JSON.parse(`${before}]}`).version
  } catch {
    throw new Error('This file is not a task export. Expected: {"version":"1.0",…"tasks":[…]}')
  }
}

const send = async (
  part: readonly Item[],
  version: '1.0',
  { client }: Service,
  results: Results,
): Promise<void> => {
  const tasks: unknown[] = []
  const places: number[] = []
  for (const { index, bytes } of part)
    try {
      tasks.push(taskIn(bytes))
      places.push(index)
    } catch (thrown) {
      addRefusal(results, { index, message: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  const answer = await patiently(() => client.importTasks({ body: { version, tasks } }))
  results.imported += answer.results.imported
  results.skipped += answer.results.skipped
  for (const refusal of answer.results.errors)
    addRefusal(results, { ...refusal, index: places[refusal.index] ?? refusal.index } as Refusal)
  addMore(results, answer.results.moreErrors ?? 0)
}

/** Throws for a task for which the service would refuse the whole part. */
const taskIn = (bytes: Buffer): unknown => {
  if (bytes.length > MOST_BYTES) throw new Error(`is larger than ${MOST_BYTES} bytes`)
  return JSON.parse(String(bytes))
}

const addMore = (results: Results, more: number): void => {
  if (more > 0) results.moreErrors = (results.moreErrors ?? 0) + more
}

const addRefusal = (results: Results, refusal: Refusal): void => {
  if (results.errors.length < MOST_ERRORS) results.errors.push(refusal)
  else addMore(results, 1)
}

/** Repeats a call while the service is unreachable, busy or limits imports. */
const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
  const { signal } = new AbortController()
  for (let tries = 1; ; tries += 1)
    try {
      return await steadily(ask, signal)
    } catch (error) {
      if (!(error instanceof ApiError) || !PASSING.has(error.status) || tries === MOST_TRIES) throw error
      await sleep(error.retryAfterMs ?? PAUSE_MS)
    }
}

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(String(bytes))
    return true
  } catch {
    return false
  }
}
