import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Diff } from '../../components/diff.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { Windowed } from '../../components/windowed.tsx'
import { Apply } from './apply.tsx'

export const Changes = ({ task, isOver }: { task: Task; isOver: boolean }) => (
  <>
    <LeftOut entries={task.result?.leftOut} />
    <Patch
      result={task.result}
      task={task}
      isOfTask
      none={isOver ? 'No changed files.' : 'Changes appear here when the task ends.'}
    />
  </>
)

type PatchProps = {
  result: Readonly<Record<string, unknown>> | undefined
  task: Task
  /** It is the result of the task itself, which the command line prints. */
  isOfTask?: boolean
  /** What is said where there is no diff. */
  none: string
}

export const Patch = ({ result, task, isOfTask = false, none }: PatchProps) => {
  const diff = result?.diff
  if (typeof diff !== 'string' || diff === '')
    return <p className="px-3.5 py-3 text-muted-foreground">{none}</p>
  return (
    <Diff
      text={diff}
      actions={<Apply diff={diff} repository={task.repository} taskId={isOfTask ? task.id : undefined} />}
    />
  )
}

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
