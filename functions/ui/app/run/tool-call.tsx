import { Ban, Check, CircleDashed, ClockAlert, Hourglass, LoaderCircle, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { isInScope, type Scope } from '../approvals/scope.ts'
import { Arguments } from '../components/arguments.tsx'
import { TextPieces } from '../components/plain-text.tsx'
import { Scroller } from '../components/scroller.tsx'
import { Tag, type Tone } from '../components/tag.tsx'
import { startOfLine } from '../components/text-weight.ts'
import { formatDuration } from '../components/time.ts'
import { useApprovals } from '../data/approvals.ts'
import { AuditLink } from './audit-link.tsx'
import type { CallState } from './run.ts'

type CallFacts = {
  callId: string
  name: string
  title: string
  arguments: unknown
  state: CallState
  result?: string | undefined
  decision?: string | undefined
  tookMs?: number | undefined
}

const looks: Readonly<Record<CallState, { icon: ReactNode; label: string }>> = {
  running: { icon: <LoaderCircle size={14} className="animate-spin text-running" />, label: 'Running' },
  waiting: { icon: <Hourglass size={14} className="text-queued" />, label: 'Waiting for approval' },
  success: { icon: <Check size={14} className="text-completed" />, label: 'Done' },
  error: { icon: <X size={14} className="text-failed" />, label: 'Failed' },
  expired: { icon: <ClockAlert size={14} className="text-queued" />, label: 'Expired, not run' },
  stopped: { icon: <CircleDashed size={14} className="text-cancelled" />, label: 'Not finished' },
}

/** Other decisions are the normal case. */
const decisions: Readonly<Record<string, { label: string; tone: Tone }>> = {
  approved: { label: 'approved', tone: 'good' },
  denied: { label: 'denied', tone: 'bad' },
  blocked: { label: 'blocked', tone: 'bad' },
  invalid: { label: 'invalid', tone: 'bad' },
}

type Props = { call: CallFacts; scope: Scope }

/** A call that waits for approval: nothing where the person has the decision, which shows the call and is in its place. */
export const WaitingRow = ({ call, scope }: Props) => {
  const { data } = useApprovals()
  const isOwn = data?.some((approval) => isInScope(approval, scope) && approval.toolName === call.name)
  return isOwn ? null : <ToolCall call={call} scope={scope} />
}

export const ToolCall = ({ call, scope }: Props) => {
  const { title, state, decision, tookMs, result } = call
  // Collapsed content is not rendered: a run may have thousands of calls of 100 kB.
  const [isOpen, setOpen] = useState(false)
  const isExpired = state === 'expired'
  const word = isExpired ? undefined : decisions[decision ?? '']
  return (
    <details
      className="group/call rounded-md border bg-card"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex min-h-8 items-center gap-2 rounded-md px-2.5 py-1 hover:bg-muted">
        <span role="img" aria-label={looks[state].label} title={looks[state].label} className="shrink-0">
          {!isExpired && (decision === 'denied' || decision === 'blocked') ? (
            <Ban size={14} className="text-failed" />
          ) : (
            looks[state].icon
          )}
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs">{startOfLine(title)}</span>
        {word && <Tag tone={word.tone}>{word.label}</Tag>}
        {state === 'waiting' && <Tag tone="warn">waiting for approval</Tag>}
        {isExpired && <Tag tone="warn">expired, not run</Tag>}
        {tookMs !== undefined && !isExpired && (
          <span className="shrink-0 text-xs text-muted-foreground">{formatDuration(tookMs)}</span>
        )}
      </summary>
      {isOpen && (
        <div className="flex flex-col gap-2 border-t px-2.5 py-2">
          <Given values={call.arguments} />
          {result !== undefined && <Field label={state === 'error' ? 'Error' : 'Result'} text={result} />}
          {state !== 'running' && state !== 'waiting' && (
            <p className="text-xs">
              <AuditLink scope={scope} callId={call.callId} />
            </p>
          )}
        </div>
      )}
    </details>
  )
}

const Given = ({ values }: { values: unknown }) => (
  <div>
    <p className="mb-1 text-xs text-muted-foreground">Arguments</p>
    {values === undefined ? (
      <p>Too long to show. See the audit.</p>
    ) : (
      <Arguments label="Arguments" values={values} />
    )}
  </div>
)

const Field = ({ label, text }: { label: string; text: string }) => (
  <Scroller role="group" label={label} className="max-h-72 overflow-y-auto">
    <p className="text-xs text-muted-foreground">{label}</p>
    <pre className="font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
      <TextPieces text={text || 'Nothing'} />
    </pre>
  </Scroller>
)
