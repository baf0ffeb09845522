import type { InfiniteData, QueryKey } from '@tanstack/react-query'
import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { liveTaskFields } from './at-build.ts'
import { checkConnection } from './connection.ts'
import { standsStill } from './live-pages.ts'
import { queryClient } from './query-client.ts'
import { isStreaming, LOGS, TOPICS } from './streaming.ts'

const LIVE: ReadonlySet<string> = new Set(liveTaskFields)

/** What is known of a task after an event of it, which has its fields as a whole, but for heavy and long ones. */
export const patched = (known: TaskFields, task: TaskFields): TaskFields => ({
  ...(Object.fromEntries(Object.entries(known).filter(([name]) => !LIVE.has(name))) as TaskFields),
  ...task,
})

/**
 * The time between two refetches of a topic. It begins with `least` and doubles up to `most` while changes go on. Sums over all tasks
 * cost more, and change little.
 */
const gatherTimes = (topic: string) =>
  topic === 'analytics' ? { least: 5_000, most: 5_000 } : { least: 150, most: 1_200 }
/** After this time without an event the connection is dead or the service hangs: a heartbeat comes every 15 s. */
const SILENCE_MS = 45_000
/** A service that refuses the stream is asked again after this. */
const REFUSED_MS = 30_000

type Change = { type: string; data: { id?: string } }

/** Whether a query is about one task that is not among the changed ones. */
const isOfAnother = ([topic, kind, id]: QueryKey, changed: ReadonlySet<unknown>) =>
  topic === LOGS ? !changed.has(kind) : topic === 'tasks' && kind === 'one' && !changed.has(id)

/**
 * Reads anew what is on the page, all of it or what the changes of a topic concern; long lists stand still. Resolves when it was
 * read; a read that is under way is begun again.
 */
const invalidate = (topic?: string, changed?: ReadonlySet<unknown>): Promise<void> =>
  queryClient.invalidateQueries({
    ...(topic === undefined ? {} : { queryKey: [topic] }),
    predicate: ({ queryKey, state }) =>
      !standsStill(state.data) && !(changed && isOfAnother(queryKey, changed)),
  })

/** The topics whose changes are gathered, and what has changed since they were read. */
const gathering = new Map<string, Set<unknown>>()

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Reads a topic anew: at once, and then once for all changes that come meanwhile, for `ms` and until it was read. To begin
 * again what is under way would show nothing on a slow connection for as long as changes go on.
 */
const readAnew = async (
  topic: string,
  changed: ReadonlySet<unknown>,
  ms = gatherTimes(topic).least,
): Promise<void> => {
  const gathered = gathering.get(topic)
  if (gathered) {
    for (const id of changed) gathered.add(id)
    return
  }
  gathering.set(topic, new Set())
  await Promise.all([invalidate(topic, changed), pause(ms)])
  const later = gathering.get(topic)
  gathering.delete(topic)
  if (later && later.size > 0) void readAnew(topic, later, Math.min(2 * ms, gatherTimes(topic).most))
}

type Pages = InfiniteData<{ tasks: TaskFields[] }>

/** Shows what a task is now wherever it is on the page, before lists are read anew. */
const patch = (task: TaskFields & { id: string }) => {
  queryClient.setQueryData<TaskFields>(['tasks', 'one', task.id], (known) => known && patched(known, task))
  queryClient.setQueriesData<Pages>({ queryKey: ['tasks', 'pages'] }, (known) => {
    if (!known?.pages.some(({ tasks }) => tasks.some(({ id }) => id === task.id))) return known
    const now = (row: TaskFields) => (row.id === task.id ? patched(row, task) : row)
    return { ...known, pages: known.pages.map((page) => ({ ...page, tasks: page.tasks.map(now) })) }
  })
}

const apply = ({ type, data }: Change) => {
  const [kind = ''] = type.split('.')
  if (type === 'ready' || type === 'reset') return void invalidate()
  if (type === 'task.updated') patch(data as TaskFields & { id: string })
  for (const topic of TOPICS[kind] ?? []) void readAnew(topic, new Set([data.id]))
}

let source: EventSource | undefined
let lastId = ''
let again: ReturnType<typeof setTimeout> | undefined
let silence: ReturnType<typeof setTimeout> | undefined

/** From now on everything is polled, which begins with asking once more. */
const lose = () => {
  if (!isStreaming.get()) return
  isStreaming.set(false)
  void invalidate()
}

/** Opens a silent stream again, and takes it for lost if the service does not answer a health check either. */
const watchSilence = () => {
  clearTimeout(silence)
  silence = setTimeout(() => {
    open()
    void checkConnection().then((isThere) => isThere || lose())
  }, SILENCE_MS)
}

const close = () => {
  clearTimeout(again)
  clearTimeout(silence)
  source?.close()
  source = undefined
}

/**
 * Opens the stream from the last event on that came. A stream that ends is opened again by the browser, and goes on where it
 * ended: only where it does not come back, or the service is away, is it lost.
 */
const open = () => {
  close()
  const opened = new EventSource(`/api/events/stream${lastId && `?after=${encodeURIComponent(lastId)}`}`)
  let isBroken = false
  /** The answer of a check may come after the stream is open again, or after another one took its place. */
  const isOpen = () => source !== opened || opened.readyState === EventSource.OPEN
  watchSilence()
  opened.onopen = () => {
    watchSilence()
    isBroken = false
    isStreaming.set(true)
  }
  opened.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
    lastId = lastEventId
    watchSilence()
    const change = JSON.parse(data) as Change
    // The browser comes back by itself after the time that the event gives.
    if (change.type === 'replaced') lose()
    else apply(change)
  }
  opened.onerror = () => {
    if (isBroken || opened.readyState === EventSource.CLOSED) lose()
    else void checkConnection().then((isThere) => isThere || isOpen() || lose())
    isBroken = true
    // The browser comes back by itself where the connection broke, and not where it was refused.
    if (opened.readyState === EventSource.CLOSED) again = setTimeout(open, REFUSED_MS)
  }
  source = opened
}

/**
 * Follows what changes while the tab can be seen. A browser has few connections to one address, and a hidden
 * tab shall not hold one: seen again, it goes on with what happened meanwhile.
 */
export const followChanges = () => {
  const follow = () => (document.visibilityState === 'visible' ? open() : close())
  document.addEventListener('visibilitychange', follow)
  follow()
}
