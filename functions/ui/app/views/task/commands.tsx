import { Check, SquareTerminal, X } from 'lucide-react'
import { useState } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { formatNumber } from '../../components/format.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { Windowed } from '../../components/windowed.tsx'
import { type Command, lastCommands } from '../../run/commands.ts'
import type { Run } from '../../run/run.ts'
import { ToolCall } from '../../run/tool-call.tsx'

const MOST_NAMED = 3
const ROW_PX = 38

/** The commands that the agent ran, such as tests, and how each ended. Renders nothing if there are none. */
export const Commands = ({ run, task }: { run: Run; task: Task }) => {
  const [isOpen, setOpen] = useState(false)
  const commands = lastCommands(run, task.result?.denied)
  if (commands.length === 0) return null
  const named = commands.toSorted((a, b) => Number(hasFailed(b)) - Number(hasFailed(a))).slice(0, MOST_NAMED)
  const rest = commands.length - named.length
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex min-w-0 items-center gap-2 px-3.5 py-2 hover:bg-muted">
        <SquareTerminal size={14} aria-hidden className="shrink-0 text-muted-foreground" />
        <span className="shrink-0 font-medium underline underline-offset-2">{countText(commands)}</span>
        <span className="flex min-w-0 items-center gap-2 font-mono text-xs text-muted-foreground max-sm:hidden">
          {named.map((command) => (
            <span key={command.line} className="flex min-w-0 items-center gap-1">
              {hasFailed(command) ? (
                <X size={14} role="img" aria-label="Failed" className="shrink-0 text-failed" />
              ) : (
                <Check size={14} role="img" aria-label="Done" className="shrink-0 text-completed" />
              )}
              <span className="min-w-0 truncate">{startOfLine(command.line)}</span>
            </span>
          ))}
          {rest > 0 && <span className="shrink-0">{`${formatNumber(rest)} more`}</span>}
        </span>
      </summary>
      {isOpen && (
        <div className="flex flex-col px-3.5 pb-2">
          <Windowed
            items={commands}
            getKey={({ call }) => call.key}
            itemPx={ROW_PX}
            atOnce={50}
            draw={({ call }) => (
              <div className="pb-1.5">
                <ToolCall call={call} scope={{ taskId: task.id }} />
              </div>
            )}
          />
        </div>
      )}
    </details>
  )
}

const hasFailed = ({ call }: Command): boolean => call.state === 'error'

const countText = (commands: readonly Command[]): string => {
  const failed = commands.filter(hasFailed).length
  const count = commands.length === 1 ? '1 command' : `${formatNumber(commands.length)} commands`
  if (failed === 0) return `${count} run`
  return commands.length === 1 ? '1 command failed' : `${formatNumber(failed)} of ${count} failed`
}
