import { Link, useRouterState } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, Download } from 'lucide-react'
import { memo, type RefObject, useEffect, useRef, useState } from 'react'
import type { TaskEvent } from '../../../../../lib/tasks/schema.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { formatDateTime, formatNumber } from '../../components/format.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import { Problem } from '../../components/problem.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { formatDuration } from '../../components/time.ts'
import { useTaskEvents } from '../../data/tasks.ts'
import { type Line, logLines, logText, withWords } from './log-lines.ts'

const tones: Readonly<Record<TaskEvent['type'], string>> = {
  created: 'text-muted-foreground',
  queued: 'text-queued',
  started: 'text-running',
  progress: 'text-muted-foreground',
  retrying: 'text-failed',
  recovered: 'text-queued',
  completed: 'text-completed',
  failed: 'text-failed',
  cancelled: 'text-cancelled',
  retried: 'text-queued',
}

type Props = { taskId: string; isOver: boolean }

export const Log = ({ taskId, isOver }: Props) => {
  const { data: events, error } = useTaskEvents(taskId, isOver)
  if (events) return <Lines key={taskId} taskId={taskId} isOver={isOver} lines={logLines(events)} />
  return error ? <Problem error={error} /> : <SkeletonRows count={8} />
}

const Lines = ({ taskId, isOver, lines }: Props & { lines: readonly Line[] }) => {
  const [words, setWords] = useState('')
  const found = withWords(lines, words)
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => aboutHigh(found[at]),
    overscan: 6,
    getItemKey: (at) => found[at]?.id ?? at,
  })
  const items = virtual.getVirtualItems()
  const toEnd = () => virtual.scrollToIndex(found.length - 1, { align: 'end' })
  const linked = useLinkedLine()
  const at = linked === undefined ? -1 : found.findIndex(({ number }) => number === linked)
  const isBeyond = linked !== undefined && linked > lines.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each line that is led to, not for each that comes.
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'center' })
    else if (isBeyond) toEnd()
  }, [linked, at >= 0, isBeyond])
  const { seen, onScroll } = useFollow(scroller, lines.length, toEnd, !isOver && linked === undefined)
  const unseen = found.filter(({ number }) => number > seen).length
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b px-3.5 py-1.5">
        <SearchField
          label="Search the log"
          placeholder="Search the log"
          value={words}
          onChange={setWords}
          className="min-w-40 flex-1"
        />
        <span role="status" className="text-muted-foreground">
          {words === ''
            ? formatNumber(lines.length)
            : `${formatNumber(found.length)} of ${formatNumber(lines.length)}`}
        </span>
        <DownloadLink taskId={taskId} lines={lines} />
        {isBeyond && (
          <p role="status" className="w-full text-muted-foreground">
            There is no line {formatNumber(linked)}
            {isOver ? '' : ' yet'}. This is the end of the log.
          </p>
        )}
      </div>
      <div className="relative">
        <section
          ref={scroller}
          aria-label="Log"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is within reach of the keyboard.
          tabIndex={0}
          onScroll={onScroll}
          className="h-[calc(100dvh-18.5rem)] min-h-80 overflow-y-auto py-1.5 [overflow-anchor:none]"
        >
          <ol aria-label="Events" style={{ height: virtual.getTotalSize(), paddingTop: items[0]?.start }}>
            {items.map(({ index, key }) => (
              <li key={key} ref={virtual.measureElement} data-index={index}>
                <LogLine line={found[index] as Line} isLinked={index === at} />
              </li>
            ))}
          </ol>
        </section>
        {unseen > 0 && (
          <Button kind="primary" size="small" className="absolute right-4 bottom-3 shadow-lg" onClick={toEnd}>
            {formatNumber(unseen)} new <ArrowDown size={14} />
          </Button>
        )}
      </div>
    </>
  )
}

/** First and further line heights in px, and characters per line. */
const LINE = 22
const NEXT_LINE = 19
const LETTERS = 100

/** Estimated height before rendering. */
const aboutHigh = (line: Line | undefined): number =>
  LINE + NEXT_LINE * Math.floor((line?.message ?? '').length / LETTERS)

/** `#L12` */
const useLinkedLine = (): number | undefined => {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const number = /^L(\d{1,9})$/.exec(hash)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Distance in px that counts as the end. */
const NEAR = 30

/** Follows the end until the reader scrolls up. `seen`: the number of lines when the end was last visible. */
const useFollow = (
  scroller: RefObject<HTMLElement | null>,
  count: number,
  toEnd: () => void,
  beginsAtEnd: boolean,
) => {
  const isAtEnd = useRef(beginsAtEnd)
  const [seen, setSeen] = useState(count)
  // biome-ignore lint/correctness/useExhaustiveDependencies: how to get there is new each time, the place is not.
  useEffect(() => {
    if (!isAtEnd.current) return
    toEnd()
    setSeen(count)
  }, [count])
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - NEAR
    if (isAtEnd.current) setSeen(count)
  }
  return { seen, onScroll }
}

const LogLine = memo(({ line, isLinked }: { line: Line; isLinked: boolean }) => {
  const { number, type, timestamp, message, sinceMs } = line
  return (
    <div
      className={`flex gap-x-2.5 px-3.5 max-sm:flex-wrap py-0.5 hover:bg-muted ${isLinked ? 'bg-queued/15' : ''}`}
    >
      <Link
        from="/tasks/$id"
        to="."
        search={{ tab: 'log' }}
        hash={`L${number}`}
        hashScrollIntoView={false}
        replace
        aria-label={`Line ${number}`}
        activeOptions={{ includeHash: true }}
        className="shrink-0 text-right text-muted-foreground hover:underline sm:w-9"
      >
        {number}
      </Link>
      <time
        dateTime={timestamp}
        title={formatDateTime(timestamp)}
        className="shrink-0 whitespace-nowrap text-right text-muted-foreground sm:w-16"
      >
        +{formatDuration(sinceMs)}
      </time>
      {/* What most lines are is not said. */}
      <span className={`shrink-0 font-medium sm:w-18 ${tones[type]}`}>{type !== 'progress' && type}</span>
      <span className="min-w-0 font-mono text-xs leading-[inherit] [overflow-wrap:anywhere] whitespace-pre-wrap max-sm:w-full sm:flex-1">
        <TextPieces text={message ?? ''} />
      </span>
    </div>
  )
})

const DownloadLink = ({ taskId, lines }: { taskId: string; lines: readonly Line[] }) => {
  const save = () => {
    const url = URL.createObjectURL(new Blob([logText(lines)], { type: 'text/plain' }))
    const link = Object.assign(document.createElement('a'), { href: url, download: `${taskId}.log` })
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <button type="button" className={buttonClass({ kind: 'ghost', size: 'small' })} onClick={save}>
      <Download size={14} /> <span className="max-sm:sr-only">Download</span>
    </button>
  )
}
