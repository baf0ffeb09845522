import { Terminal } from 'lucide-react'
import { isCutOff } from '../../../../../lib/core/changed-files.ts'
import { Button } from '../../components/button.tsx'
import { Command, Copy } from '../../components/copy.tsx'
import { Popover } from '../../components/popover.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { binaryFiles, fetchedApply, pastedApply } from './apply-commands.ts'

type Props = {
  diff: string
  repository: string | undefined
  /** Absent for a diff that the command line does not print. */
  taskId: string | undefined
}

/** Commands that apply a diff to a checkout. */
export const Apply = (props: Props) => {
  const trigger = (
    <Button
      size="small"
      reason={isCutOff(props.diff) ? 'This diff was too large to store completely' : undefined}
    >
      <Terminal size={14} aria-hidden /> Apply
    </Button>
  )
  if (isCutOff(props.diff)) return trigger
  return (
    <Popover label="Apply the changes" trigger={trigger}>
      <Commands {...props} />
    </Popover>
  )
}

const Commands = ({ diff, repository, taskId }: Props) => {
  const pasted = pastedApply(diff)
  return (
    <div className="flex flex-col gap-2 p-3">
      <p className="[overflow-wrap:anywhere]">
        Run in a checkout of {repository === undefined ? 'the repository' : startOfLine(repository)}:
      </p>
      {pasted && (
        <div className="flex items-center gap-1 rounded-md border bg-muted/60 py-0.5 pr-0.5 pl-3">
          <code className="min-w-0 flex-1 truncate py-1.5 font-mono text-xs">{pasted.start} …</code>
          <Copy text={pasted.whole} label="Copy the command with the patch" />
        </div>
      )}
      {taskId !== undefined && (
        <>
          <p className="text-muted-foreground">
            {pasted ? 'Or, with' : 'With'} the command line of this service (run{' '}
            <code className="font-mono text-xs">npm link</code> in its checkout once):
          </p>
          <Command text={fetchedApply(taskId, diff, location.origin)} />
        </>
      )}
      {binaryFiles(diff).length > 0 && (
        <p className="text-muted-foreground">Binary files are not part of the patch.</p>
      )}
      {!pasted && taskId === undefined && (
        <p className="text-muted-foreground">
          Copy the patch, save it as a file, and apply it with{' '}
          <code className="font-mono text-xs">git apply</code>.
        </p>
      )}
    </div>
  )
}
