import { Link, useSearch } from '@tanstack/react-router'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Copy } from '../../components/copy.tsx'
import { Diff } from '../../components/diff.tsx'
import { TextPieces } from '../../components/plain-text.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { Windowed } from '../../components/windowed.tsx'
import type { Run } from '../../run/run.ts'
import { Input } from './input.tsx'
import { Log } from './log.tsx'
import { Reply } from './reply.tsx'
import { type Tab, tabs } from './tabs.ts'
import { Thread } from './thread.tsx'
import { Usage } from './usage.tsx'

type Props = { task: Task; run: Run | undefined }

export const Side = ({ task, run }: Props) => {
  const isOver = isFinal(task.status)
  const isReply = task.parentId !== undefined
  const { tab = isOver || isReply ? 'output' : 'log' } = useSearch({ from: '/tasks/$id' })
  return (
    <div className="min-w-0 rounded-lg border bg-card">
      <Tabs current={tab} />
      <Content tab={tab} task={task} run={run} isOver={isOver} />
      <Reply task={task} />
    </div>
  )
}

const Tabs = ({ current }: { current: Tab }) => (
  <nav aria-label="Task" className="overflow-x-auto border-b px-1.5">
    <ul className="flex">
      {Object.entries(tabs).map(([tab, label]) => (
        <li key={tab}>
          <Link
            from="/tasks/$id"
            to="."
            search={{ tab: tab as Tab }}
            replace
            aria-current={tab === current ? 'page' : undefined}
            className="-mb-px flex h-10 items-center border-b-2 border-transparent px-2.5 whitespace-nowrap text-muted-foreground hover:text-foreground aria-[current=page]:border-foreground aria-[current=page]:font-medium aria-[current=page]:text-foreground"
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)

const Content = ({ tab, task, run, isOver }: Props & { tab: Tab; isOver: boolean }) => {
  switch (tab) {
    case 'output':
      return <Thread task={task} isOver={isOver} />
    case 'changes':
      return <Changes result={task.result} isOver={isOver} />
    case 'log':
      return <Log taskId={task.id} isOver={isOver} />
    case 'input':
      return <Input task={task} />
    case 'usage':
      return <Usage task={task} run={run} />
    case 'raw':
      return <Raw task={task} />
  }
}

const Changes = ({ result, isOver }: { result: Task['result']; isOver: boolean }) => (
  <>
    <LeftOut entries={result?.leftOut} />
    {typeof result?.diff === 'string' && result.diff !== '' ? (
      <Diff text={result.diff} />
    ) : (
      <p className="px-3.5 py-3 text-muted-foreground">
        {isOver ? 'No changed files.' : 'Changes appear here when the task ends.'}
      </p>
    )}
  </>
)

const REASONS: Readonly<Record<string, string>> = {
  repository: 'nested git repository',
  unreadable: 'unreadable',
  special: 'pipe, socket or device',
  too_large: 'larger than 100 MiB',
  name: 'name not supported by git',
}

const ENTRY_PX = 20

/** Results come from agents and may hold anything. */
const LeftOut = ({ entries }: { entries: unknown }) => {
  const named = (Array.isArray(entries) ? entries : []).filter(
    (entry) => typeof Object(entry).path === 'string',
  )
  if (named.length === 0) return null
  return (
    <section aria-label="Left out" className="border-b px-3.5 py-3">
      <h2 className="font-semibold">Not included in the changes</h2>
      <ul className="max-h-40 overflow-y-auto">
        <Windowed
          isList
          items={named}
          getKey={({ path }) => path}
          itemPx={ENTRY_PX}
          atOnce={50}
          draw={({ path, reason }) => (
            <li className="[overflow-wrap:anywhere]">
              <code title={path} className="font-mono text-xs">
                {startOfLine(path)}
              </code>
              <span className="text-muted-foreground"> {REASONS[reason]}</span>
            </li>
          )}
        />
      </ul>
    </section>
  )
}

const Raw = ({ task }: { task: Task }) => {
  const text = JSON.stringify(task, null, 2)
  return (
    <>
      <div className="flex items-center justify-between gap-2 border-b py-1 pr-1.5 pl-3.5">
        <code className="truncate font-mono text-xs text-muted-foreground">GET /api/tasks/{task.id}</code>
        <Copy text={text} label="Copy the JSON" />
      </div>
      <Scroller label="Task as JSON" className="max-h-[min(60vh,40rem)] overflow-auto px-3.5 py-3">
        <pre className="font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
          <TextPieces text={text} />
        </pre>
      </Scroller>
    </>
  )
}
