import { Check, X } from 'lucide-react'
import { useState } from 'react'
import { refusalOutcome } from '../../approvals/calls.ts'
import type { Mark } from '../../approvals/decision.ts'
import { Arguments } from '../../components/arguments.tsx'
import { type BulkJob, BulkRun } from '../../components/bulk-run.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { RiskTag } from '../../components/risk.tsx'
import { visibleText } from '../../components/visible-text.ts'
import { withoutWorkspace } from '../../components/workspace-path.ts'
import { type Approval, type Decision, decide, refetchDecided } from '../../data/approvals.ts'
import { isConnected } from '../../data/connection.ts'

const calls = (count: number) => `${count} ${count === 1 ? 'call' : 'calls'}`

type Props = { selected: readonly Approval[]; onClear: () => void; mark: Mark }

/** Denies several calls, or allows those that run no program after listing them. Programs are allowed one by one. */
export const DecideMany = ({ selected, onClear, mark }: Props) => {
  const [job, setJob] = useState<BulkJob>()
  const [isAsking, setAsking] = useState(false)
  const isAway = !isConnected.use()
  const safe = selected.filter(({ securityLevel }) => securityLevel !== 'execute')
  const left = selected.length - safe.length
  const run = (title: string, past: string, decision: Decision, approvals: readonly Approval[]) => {
    setAsking(false)
    setJob({
      title,
      past,
      items: approvals.map((one) => ({ id: one.id, title: visibleText(withoutWorkspace(one.title)) })),
      act: async (id) => {
        await decide(id, decision).catch((error: unknown) => {
          const outcome = refusalOutcome(error)
          if (outcome !== undefined) mark(id, outcome)
          throw error
        })
        mark(id, decision)
      },
    })
  }
  const close = () => {
    setJob(undefined)
    onClear()
  }
  return (
    <>
      <Button
        kind="danger"
        disabled={selected.length === 0 || isAway}
        onClick={() => run('Deny', 'denied', 'deny', selected)}
      >
        <X size={14} /> Deny {selected.length}
      </Button>
      <Button disabled={safe.length === 0 || isAway} onClick={() => setAsking(true)}>
        <Check size={14} /> Allow {safe.length} once
      </Button>
      {left > 0 && (
        <span className="text-muted-foreground">
          {left === 1 ? '1 call runs a program' : `${left} calls run a program`}. Allow these one by one.
        </span>
      )}
      {isAsking && (
        <Ask
          approvals={safe}
          onCancel={() => setAsking(false)}
          onSure={() => run('Allow once', 'allowed', 'allow-once', safe)}
        />
      )}
      {job && <BulkRun {...job} onOver={refetchDecided} onClose={close} />}
    </>
  )
}

type AskProps = { approvals: readonly Approval[]; onCancel: () => void; onSure: () => void }

const Ask = ({ approvals, onCancel, onSure }: AskProps) => (
  <Dialog isOpen onClose={onCancel} title={`Allow ${calls(approvals.length)} once?`}>
    <DialogBody>
      <ul aria-label="Calls to allow" className="divide-y rounded-md border">
        {approvals.map(({ id, title, toolName, params, securityLevel }) => (
          <li key={id} className="flex flex-col gap-2 px-3 py-2">
            <span className="flex flex-wrap items-center gap-2">
              <RiskTag risk={securityLevel} />
              <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">
                {visibleText(withoutWorkspace(title))}
              </span>
            </span>
            <Arguments label={`Arguments of ${toolName}`} values={params} />
          </li>
        ))}
      </ul>
      <p className="text-muted-foreground">Each call runs once, with the arguments shown.</p>
    </DialogBody>
    <DialogFoot>
      <Button onClick={onCancel}>Cancel</Button>
      <Button kind="primary" onClick={onSure}>
        Allow {approvals.length} once
      </Button>
    </DialogFoot>
  </Dialog>
)
