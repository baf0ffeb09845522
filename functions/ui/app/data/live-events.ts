import type { InfiniteData } from '@tanstack/react-query'
import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { standsStill } from './live-pages.ts'
import { queryClient } from './query-client.ts'
import { isStreaming, TOPICS } from './streaming.ts'
import { patched } from './task-patch.ts'

/** Changes of so long are read with one request a query. */
const GATHER_MS = 1_000
/** A service that refuses the stream is asked again after this. */
const REFUSED_MS = 30_000

type Change = { type: string; data: { id?: string } }

const due = new Set<string>()
let gathering: ReturnType<typeof setTimeout> | undefined

/** Reads anew what is on the page, all of it or a topic; long lists stand still. */
const invalidate = (...queryKey: readonly string[]) =>
  void queryClient.invalidateQueries({ queryKey, predicate: (query) => !standsStill(query.state.data) })

/** Reads a topic anew: at once, and then once for all changes that come within a second. */
const readAnew = (topics: readonly string[]) => {
  for (const topic of topics) due.add(topic)
  gathering ??= setTimeout(() => {
    gathering = undefined
    if (due.size > 0) readNow()
  }, GATHER_MS)
}

const readNow = () => {
  const topics = [...due]
  due.clear()
  for (const topic of topics) invalidate(topic)
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
  if (type === 'ready' || type === 'reset') return invalidate()
  if (type === 'task.updated') patch(data as TaskFields & { id: string })
  const isFirst = gathering === undefined
  readAnew(TOPICS[kind] ?? [])
  if (isFirst) readNow()
}

let source: EventSource | undefined
let lastId = ''
let again: ReturnType<typeof setTimeout> | undefined

const lose = () => {
  if (!isStreaming.get()) return
  isStreaming.set(false)
  // Asked once more, everything is polled from then on.
  invalidate()
}

const close = () => {
  clearTimeout(again)
  source?.close()
  source = undefined
  lose()
}

const open = () => {
  close()
  source = new EventSource(`/api/events/stream${lastId && `?after=${encodeURIComponent(lastId)}`}`)
  source.onopen = () => isStreaming.set(true)
  source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
    lastId = lastEventId
    apply(JSON.parse(data) as Change)
  }
  source.onerror = () => {
    lose()
    // The browser comes back by itself where the connection broke, and not where it was refused.
    if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, REFUSED_MS)
  }
}

/**
 * Follows what changes while the tab can be seen. A browser has few connections to one address, and a hidden
 * tab shall not hold one.
 */
export const followChanges = () => {
  const follow = () => (document.visibilityState === 'visible' ? open() : close())
  document.addEventListener('visibilitychange', follow)
  follow()
}
