import { Link, useSearch } from '@tanstack/react-router'
import { ChartGantt, ChevronDown } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { buttonClass } from '../../components/button.tsx'
import { Copy } from '../../components/copy.tsx'
import { formatNumber } from '../../components/format.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { useNarrow } from '../../components/narrow.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import { Popover, PopoverClose } from '../../components/popover.tsx'
import { Scroller } from '../../components/scroller.tsx'
import type { Run } from '../../run/run.ts'
import { AttemptLinks, EarlierAttempt, useShownAttempt } from './attempts.tsx'
import { changesOf } from './changed-files.tsx'
import { Changes } from './changes.tsx'
import { HeadLine } from './head-line.tsx'
import { Input } from './input.tsx'
import { Log } from './log.tsx'
import { useSubjects } from './subjects.ts'
import { type Tab, tabs } from './tabs.ts'
import { Thread } from './thread.tsx'
import type { Work } from './turn.tsx'
import { Usage } from './usage.tsx'

const Compare = lazyComponent(() => import('./compare.tsx'), 'Compare')

type Props = {
  task: Task
  run: Run | undefined
  work: Work | undefined
}

export const Parts = ({ task, run, work }: Props) => {
  const { tab = 'output' } = useSearch({ from: '/tasks/$id' })
  const shown = useShownTabs(task, run, tab)
  const row = useRef<HTMLDivElement>(null)
  return (
    <div className="min-w-0">
      <HeadLine task={task} tab={tab} tabs={shown} row={row} />
      <div ref={row} className="flex items-center gap-2 border-b pr-2 md:pr-4">
        <Tabs current={tab} shown={shown} changes={changesOf(task.result).length} />
        <Link
          from="/tasks/$id"
          to="."
          search={(now) => ({ ...now, trace: true as const })}
          replace
          title="Trace (t)"
          className={buttonClass({ kind: 'ghost', size: 'small' })}
        >
          <ChartGantt size={14} aria-hidden /> <span className="max-sm:sr-only">Trace</span>
        </Link>
      </div>
      {(tab === 'output' || tab === 'changes') && <AttemptLinks task={task} />}
      <div className="px-0 md:px-2.5">
        <Content tab={tab} task={task} run={run} work={work} />
      </div>
    </div>
  )
}

/** Tabs without content are left out; the one that the address names is there. */
const useShownTabs = (task: Task, run: Run | undefined, current: Tab): readonly Tab[] => {
  const canCompare = useSubjects(task).length > 1
  const { result, attempts, usage, cost } = task
  const isThere: Partial<Record<Tab, boolean>> = {
    // An earlier attempt may have left some.
    changes:
      attempts > 1 || Boolean(result?.diff) || Boolean(result?.leftOut) || changesOf(result).length > 0,
    compare: canCompare,
    usage: usage !== undefined || cost !== undefined || run !== undefined,
  }
  return (Object.keys(tabs) as Tab[]).filter((tab) => tab === current || (isThere[tab] ?? true))
}

type TabsProps = { current: Tab; shown: readonly Tab[]; changes: number }

/** On phones these are in a menu, but the one that is open. */
const SELDOM: ReadonlySet<Tab> = new Set(['input', 'usage', 'raw'])

const Tabs = ({ current, shown, changes }: TabsProps) => {
  const nav = useRef<HTMLElement>(null)
  const isNarrow = useNarrow()
  const inMenu = shown.filter((tab) => isNarrow && SELDOM.has(tab) && tab !== current)
  // The tabs scroll on small screens: keep the active one in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab moves the active one.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current, shown.length])
  return (
    <nav ref={nav} aria-label="Task" className="min-w-0 flex-1 overflow-x-auto px-1.5 md:px-4">
      <ul className="flex">
        {shown
          .filter((tab) => !inMenu.includes(tab))
          .map((tab) => (
            <li key={tab}>
              <TabLink tab={tab} current={current}>
                {tabs[tab]}
                {tab === 'changes' && changes > 0 && (
                  <span aria-hidden className="text-xs text-muted-foreground">
                    {formatNumber(changes)}
                  </span>
                )}
              </TabLink>
            </li>
          ))}
        {inMenu.length > 0 && (
          <li>
            <Popover
              label="More parts of the task"
              trigger={
                <button type="button" className={`${tabClass} border-transparent`}>
                  More <ChevronDown size={13} aria-hidden />
                </button>
              }
            >
              <div className="flex flex-col p-1.5">
                {inMenu.map((tab) => (
                  <PopoverClose
                    key={tab}
                    nativeButton={false}
                    render={
                      <TabLink tab={tab} current={current}>
                        {tabs[tab]}
                      </TabLink>
                    }
                  />
                ))}
              </div>
            </Popover>
          </li>
        )}
      </ul>
    </nav>
  )
}

const tabClass =
  '-mb-px flex h-10 items-center gap-1.5 border-b-2 px-2.5 whitespace-nowrap text-muted-foreground hover:text-foreground'

type TabLinkProps = { tab: Tab; current: Tab; children: ReactNode }

const TabLink = ({ tab, current, children, ...rest }: TabLinkProps) => (
  <Link
    {...rest}
    from="/tasks/$id"
    to="."
    search={({ attempt }) => ({ tab, ...(attempt === undefined ? {} : { attempt }) })}
    replace
    aria-current={tab === current ? 'page' : undefined}
    className={`${tabClass} border-transparent aria-[current=page]:border-foreground aria-[current=page]:font-medium aria-[current=page]:text-foreground`}
  >
    {children}
  </Link>
)

const Content = ({ tab, task, run, work }: Props & { tab: Tab }) => {
  const isOver = isFinal(task.status)
  const attempt = useShownAttempt(task)
  switch (tab) {
    case 'output':
      return attempt ? (
        <EarlierAttempt key={attempt.id} task={task} attempt={attempt} />
      ) : (
        <Thread task={task} isOver={isOver} work={work} />
      )
    case 'changes':
      return attempt ? (
        <EarlierAttempt key={attempt.id} task={task} attempt={attempt} isOfChanges />
      ) : (
        <Changes task={task} isOver={isOver} />
      )
    case 'log':
      return <Log taskId={task.id} isOver={isOver} />
    case 'input':
      return <Input task={task} />
    case 'usage':
      return <Usage task={task} run={run} />
    case 'raw':
      return <Raw task={task} />
    case 'compare':
      return <Compare task={task} />
  }
}

const Raw = ({ task }: { task: Task }) => {
  const text = JSON.stringify(task, null, 2)
  return (
    <>
      <div className="flex items-center justify-between gap-2 border-b py-1 pr-1.5 pl-3.5">
        <code className="truncate font-mono text-xs text-muted-foreground">GET /api/tasks/{task.id}</code>
        <Copy text={text} label="Copy the JSON" />
      </div>
      <Scroller label="Task as JSON" className="overflow-x-auto px-3.5 py-3">
        <pre className="font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
          <TextPieces text={text} />
        </pre>
      </Scroller>
    </>
  )
}
