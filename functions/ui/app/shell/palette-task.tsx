import { useNavigate } from '@tanstack/react-router'
import { Ban, Check, Copy, Eye, GitPullRequest, Link2, Pencil, Reply, RotateCcw, X } from 'lucide-react'
import { wholeCall } from '../../../../lib/core/whole-call.ts'
import { isFinal, nextStatus } from '../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../lib/tasks/schema.ts'
import { cancelSoon, useIsCancelling } from '../components/cancel-soon.ts'
import { copyText } from '../components/copy-text.ts'
import { errorMessage } from '../components/problem.tsx'
import { pullRequestLink } from '../components/published.ts'
import { retryTask } from '../components/retry-task.ts'
import { State } from '../components/state.tsx'
import { startOfLine } from '../components/text-weight.ts'
import { toast } from '../components/toast.tsx'
import { visibleText } from '../components/visible-text.ts'
import { type Approval, type Decision, useApprovals, useDecide } from '../data/approvals.ts'
import { useAway } from '../data/connection.ts'
import { useTask } from '../data/tasks.ts'
import { copyLink } from './copy-link.ts'
import { editAgain } from './edit-again.ts'
import { focusLater } from './focus-later.ts'
import { writtenKey } from './key-table.ts'
import type { PaletteEntry } from './palette-actions.ts'
import { fits } from './palette-places.ts'
import { EntryItem, PaletteGroup } from './palette-rows.tsx'

/** What can be done with the task that is open, or whose row has the focus. */
export const TaskInView = ({ id, typed }: { id: string; typed: string }) => {
  const { data: task } = useTask(id)
  return task ? <Verbs task={task} typed={typed} /> : null
}

const Verbs = ({ task, typed }: { task: Task; typed: string }) => {
  const decisions = useDecisions(task.id)
  const verbs = useVerbs(task)
  return (
    <PaletteGroup
      heading={
        <span className="flex items-center gap-2">
          <span className="shrink-0">This task</span>
          <span className="min-w-0 truncate">{startOfLine(task.title)}</span>
          <State status={task.status} waitingFor={task.waitingFor} />
        </span>
      }
      items={[...decisions, ...verbs].filter((verb) => fits(verb, typed))}
      draw={(verb) => <EntryItem key={verb.id} entry={verb} />}
    />
  )
}

const useVerbs = (task: Task): readonly PaletteEntry[] => {
  const navigate = useNavigate()
  const isCancelling = useIsCancelling(task.id)
  const reason = useAway()
  const { id, status } = task
  const open = (to: string) => navigate({ to: '/tasks/$id', params: { id: to } })
  const retry = async () => {
    const next = await retryTask(task)
    if (next) await open(next.id)
  }
  const reply = () => {
    void open(id)
    focusLater('main form[aria-label="Reply"] textarea')
  }
  const pullRequest = pullRequestLink(task)
  const canCancel = nextStatus(status, 'cancel') !== undefined && !isCancelling
  const retryVerb: PaletteEntry = {
    id: 'retry',
    label: 'Retry',
    icon: RotateCcw,
    words: 'run again',
    shortcut: writtenKey('retry'),
    reason,
    act: retry,
  }
  const pullRequestVerb = pullRequest && {
    id: 'pull-request',
    label: pullRequest.label,
    icon: GitPullRequest,
    words: 'pull request github',
    act: () => window.open(pullRequest.href, '_blank', 'noopener'),
  }
  const cancelVerb: PaletteEntry = {
    id: 'cancel',
    label: 'Cancel',
    icon: Ban,
    words: 'stop',
    shortcut: writtenKey('cancel'),
    reason,
    act: () => cancelSoon(task),
  }
  const isDone = status === 'completed'
  // Enter takes the first one.
  return [
    ...(isFinal(status) && !isDone ? [retryVerb] : []),
    ...(pullRequestVerb ? [pullRequestVerb] : []),
    {
      id: 'reply',
      label: 'Reply',
      icon: Reply,
      words: 'message continue',
      shortcut: writtenKey('reply'),
      act: reply,
    },
    ...(canCancel ? [cancelVerb] : []),
    {
      id: 'edit',
      label: 'Edit and run again',
      icon: Pencil,
      words: 'change prompt',
      shortcut: writtenKey('edit'),
      act: () => editAgain(task),
    },
    ...(isDone ? [retryVerb] : []),
    {
      id: 'copy',
      label: 'Copy link',
      icon: Link2,
      words: 'address url',
      act: () => copyLink(`${location.origin}/tasks/${id}`),
    },
    { id: 'copy-id', label: 'Copy ID', icon: Copy, act: () => copyId(id) },
  ]
}

const copyId = async (id: string) => {
  if (await copyText(id, document.body)) toast.done('ID copied')
  else toast.failed('Not copied', id)
}

/**
 * What can be done about its calls that wait for approval. The first row leads to the call; it is allowed here only if the row
 * shows all of it.
 */
const useDecisions = (taskId: string): readonly PaletteEntry[] => {
  const navigate = useNavigate()
  const { data = [] } = useApprovals()
  // The palette is closed before the answer comes: the callbacks of `mutate` would not run.
  const { mutateAsync } = useDecide()
  const reason = useAway()
  const decide = ({ id }: Approval, decision: Decision) =>
    mutateAsync({ id, decision }).then(
      () => void toast.done(decision === 'deny' ? 'Denied' : 'Allowed once'),
      (error: unknown) => void toast.failed('Not decided', errorMessage(error)),
    )
  const rowsOf = (approval: Approval): readonly PaletteEntry[] => {
    const title = visibleText(approval.title)
    const whole = wholeCall(approval)
    const review: PaletteEntry = {
      id: `review ${approval.id}`,
      label: `Review call: ${title}`,
      icon: Eye,
      words: 'approve allow deny approval',
      act: () => navigate({ to: '/inbox', search: { item: `approval:${approval.id}` } }),
    }
    const deny: PaletteEntry = {
      id: `deny ${approval.id}`,
      label: `Deny: ${title}`,
      icon: X,
      words: 'refuse approval',
      reason,
      act: () => decide(approval, 'deny'),
    }
    const allow: PaletteEntry | undefined =
      whole === undefined
        ? undefined
        : {
            id: `allow ${approval.id}`,
            label: `Allow once: ${whole}`,
            isWhole: true,
            icon: Check,
            words: 'approve approval',
            reason,
            act: () => decide(approval, 'allow-once'),
          }
    return [review, deny, ...(allow ? [allow] : [])]
  }
  return data.filter((approval) => approval.taskId === taskId).flatMap(rowsOf)
}
