import { ApiError } from '../api/api-error.ts'
import { ulidTimes } from '../core/ulid.ts'
import { AmbiguousId } from './exit-codes.ts'
import type { Service } from './service.ts'
import { safeLine } from './terminal.ts'

/** Something that an id may name, with the words by which a person tells it from others. */
type Candidate = { readonly id: string; readonly about: string }

/** The least digits of a short id: fewer name something else by a slip. */
const LEAST_DIGITS = 4
/** The least digits at the end of an id, as the page shows them. */
const LEAST_LAST_DIGITS = 6
const MOST_LISTED = 10
const PAGE = 200
const MOST_PAGES = 25
/** How far the time in an id may be from the time at which its row was created. */
const APART_MS = 1_000

/** The digits of an id without its kind, `task_01HZ` and `01hz` alike; undefined where they are no short id. */
const digitsIn = (given: string, kind: string): string | undefined => {
  const text = given.toUpperCase()
  const digits = text.startsWith(`${kind.toUpperCase()}_`) ? text.slice(kind.length + 1) : text
  return digits.length >= LEAST_DIGITS && /^[0-9A-Z]+$/.test(digits) ? digits : undefined
}

const isWhole = (given: string, kind: string): boolean =>
  given.startsWith(`${kind}_`) && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(given.slice(kind.length + 1))

/** Whether a short id is the beginning of an id, or the end of one. */
const fits = (id: string, { prefix, isByEnd = false }: Kind, digits: string): boolean => {
  const whole = id.toUpperCase()
  const own = whole.startsWith(`${prefix.toUpperCase()}_`) ? whole.slice(prefix.length + 1) : whole
  return (!isByEnd && own.startsWith(digits)) || (digits.length >= LEAST_LAST_DIGITS && own.endsWith(digits))
}

type Kind = {
  /** The prefix of its ids, such as `task`. */
  prefix: string
  /** Only the end of an id names one: the beginning is its time, which another one of the same minutes has as well. */
  isByEnd?: boolean
  /** How messages name it. */
  name: string
  /** Those that may fit, from any place: each is compared. A read that fails ends the search. */
  search: (service: Service, digits: string) => AsyncIterable<readonly Candidate[]>
}

/** The id that a text names: itself, or the one id that it is the beginning or the end of. Throws AmbiguousId where it fits several. */
const resolveId = async (given: string, kind: Kind, service: Service): Promise<string | undefined> => {
  const { prefix, name, search } = kind
  const digits = digitsIn(given, prefix)
  if (digits === undefined) return undefined
  const found = new Map<string, Candidate>()
  for await (const candidates of search(service, digits)) {
    for (const each of candidates) if (fits(each.id, kind, digits)) found.set(each.id, each)
    if (found.has(given)) return given
    if (found.size > MOST_LISTED) break
  }
  const all = [...found.values()]
  if (all.length <= 1) return all[0]?.id
  const lines = all.slice(0, MOST_LISTED).map(({ id, about }) => `${safeLine(id)}  ${safeLine(about)}`)
  const more = all.length > MOST_LISTED ? ['and more'] : []
  throw new AmbiguousId(`${safeLine(given)} matches several ${name}. Enter more of the id`, [
    ...lines,
    ...more,
  ])
}

type List<Row> = (query: { limit: number; cursor?: string }) => Promise<{
  rows: readonly Row[]
  nextCursor?: string | undefined
}>

async function* everyPage<Row>(list: List<Row>): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    yield page.rows
    cursor = page.nextCursor
    if (cursor === undefined) return
  }
}

type Listed = { readonly id: string; readonly status?: string; readonly title: string }

const toCandidate = ({ id, status, title }: Listed): Candidate => ({
  id,
  about: status === undefined ? title : `${status}: ${title}`,
})

const isRefused = (error: unknown, code: string): boolean => error instanceof ApiError && error.code === code

/** Tasks by the time in their ids, which is that of their creation; then those that the search of the service finds. */
async function* searchTasks({ client }: Service, digits: string): AsyncGenerator<readonly Candidate[]> {
  const times = ulidTimes(digits)
  if (times !== undefined) {
    const createdAfter = new Date(times.first - APART_MS).toISOString()
    const createdBefore = new Date(times.last + APART_MS).toISOString()
    yield* everyPage(async (page) => {
      const { tasks, nextCursor } = await client.filterTasks({
        query: { ...page, createdAfter, createdBefore },
      })
      return { rows: tasks.map(toCandidate), nextCursor }
    })
  }
  if (digits.length < LEAST_LAST_DIGITS) return
  try {
    const { tasks } = await client.filterTasks({ query: { q: digits, limit: PAGE } })
    yield tasks.map(toCandidate)
  } catch (error) {
    // A search that would read too much finds nothing: the id has to be given as a beginning.
    if (!isRefused(error, 'selection_too_broad')) throw error
  }
}

const task: Kind = { prefix: 'task', name: 'tasks', search: searchTasks }

const deadLetter: Kind = {
  prefix: 'dlq',
  name: 'dead letters',
  search: ({ client }) =>
    everyPage(async (page) => {
      const { items, nextCursor } = await client.listDlq({ query: { ...page, status: 'all' } })
      return { rows: items.map(toCandidate), nextCursor }
    }),
}

// Once one is decided or expires, the next call of the same agent must not be taken for it.
const approval: Kind = {
  prefix: 'apv',
  isByEnd: true,
  name: 'approvals',
  search: ({ client }) =>
    everyPage(async () => ({ rows: (await client.listApprovals()).approvals.map(toCandidate) })),
}

const schedule: Kind = {
  prefix: 'sched',
  name: 'schedules',
  search: ({ client }) =>
    everyPage(async (page) => {
      const { schedules, nextCursor } = await client.listSchedules({ query: page })
      return { rows: schedules.map(({ id, name }) => ({ id, about: name })), nextCursor }
    }),
}

const conversation: Kind = {
  prefix: 'conv',
  name: 'conversations',
  search: ({ client }) =>
    everyPage(async (page) => {
      const { conversations, nextCursor } = await client.listConversations({ query: page })
      return { rows: conversations.map(toCandidate), nextCursor }
    }),
}

/** Resolves a short id by the lists of its kind. What fits nothing stays as it is: the service says that it is unknown. */
const inLists =
  (kind: Kind) =>
  async (service: Service, given: string): Promise<string> =>
    isWhole(given, kind.prefix) ? given : ((await resolveId(given, kind, service)) ?? given)

export const findDeadLetterId = inLists(deadLetter)
export const findApprovalId = inLists(approval)
export const findScheduleId = inLists(schedule)
export const findConversationId = inLists(conversation)

/** The id of the task that a text names. An imported task may have any id: it is read before a short id is looked for. */
export const findTaskId = async (service: Service, given: string): Promise<string> => {
  if (isWhole(given, task.prefix)) return given
  try {
    await service.client.getTask({ params: { id: given } })
    return given
  } catch (error) {
    if (!isRefused(error, 'task_not_found')) throw error
    const found = await resolveId(given, task, service)
    if (found !== undefined) return found
    throw error
  }
}
