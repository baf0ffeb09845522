import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Arguments } from '../../components/arguments.tsx'
import { Button } from '../../components/button.tsx'
import { Copy } from '../../components/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { formatFullDateTime } from '../../components/format.ts'
import { LongText } from '../../components/long-text.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { TitledSession } from '../../components/session-link.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { formatDuration } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { type ToolCallEntry, useToolCall } from '../../data/security.ts'
import { useSessionAt } from '../../data/sessions.ts'
import { DecisionTag, decisionMeaning, isExpired } from './decisions.tsx'
import type { AuditSearch } from './filters.ts'

type Props = { id: string; onClose: () => void; onOnly: (filters: AuditSearch) => void }

export const Entry = ({ id, onClose, onOnly }: Props) => {
  const { data, error, refetch } = useToolCall(id)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={data?.tool ?? 'Tool call'}
      description={data && formatFullDateTime(data.timestamp)}
    >
      {data && <EntryDetails entry={data} onOnly={onOnly} />}
      {!data && (
        <DialogBody>
          {error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows count={6} />}
        </DialogBody>
      )}
    </Dialog>
  )
}

const EntryDetails = ({ entry, onOnly }: { entry: ToolCallEntry; onOnly: Props['onOnly'] }) => {
  const { tool, taskId, conversationId, result, decision } = entry
  const { data: run } = useSessionAt(entry)
  const failed = entry.failed && decision !== 'pending' && !isExpired(entry)
  return (
    <>
      <DialogBody>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
          {entryFacts(entry, run?.id).map(
            ([name, value]) =>
              value && (
                <div key={name} className="contents">
                  <dt className="text-muted-foreground">{name}</dt>
                  <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
                </div>
              ),
          )}
        </dl>
        <h3 className="font-medium">Arguments</h3>
        <Arguments label="Arguments" values={entry.arguments} />
        <h3 className={`font-medium ${failed ? 'text-failed' : ''}`}>{failed ? 'Failed with' : 'Result'}</h3>
        {result === '' ? (
          <p className="text-muted-foreground">Nothing</p>
        ) : (
          <LongText label="Result" text={visibleText(result)} />
        )}
      </DialogBody>
      <DialogFoot>
        <span className="mr-auto">
          <Copy text={JSON.stringify(entry, undefined, 2)} label="Copy as JSON" />
        </span>
        <Button onClick={() => onOnly({ tool })}>Only this tool</Button>
        {(taskId ?? conversationId) !== undefined && (
          <Button onClick={() => onOnly(taskId === undefined ? { conversationId } : { taskId })}>
            Only this {taskId === undefined ? 'conversation' : 'task'}
          </Button>
        )}
      </DialogFoot>
    </>
  )
}

const entryFacts = (
  entry: ToolCallEntry,
  runId: string | undefined,
): readonly (readonly [string, ReactNode])[] => {
  const { id, userId, taskId, conversationId, mode, decision, approvalId, durationMs } = entry
  return [
    [
      'Decision',
      <span key="decision" className="flex flex-wrap items-center gap-x-2">
        <DecisionTag {...entry} />
        <span className="text-muted-foreground">{decisionMeaning(entry)}</span>
      </span>,
    ],
    ['Mode', <code key="mode">{mode}</code>],
    ['Of', <Person key="of" id={userId} />],
    [
      'Session',
      (taskId ?? conversationId) && (
        <TitledSession key="session" taskId={taskId} conversationId={conversationId} />
      ),
    ],
    ['Run', runId && <RunLink key="run" id={runId} />],
    ['Took', formatDuration(durationMs)],
    [
      'Approval',
      approvalId && <ApprovalLink key="approval" id={approvalId} isOpen={decision === 'pending'} />,
    ],
    ['Entry', <code key="entry">{id}</code>],
  ]
}

/** A plain string: a view does not import the routes of another. */
const RunLink = ({ id }: { id: string }) => {
  const to: string = `/chat/sessions/${encodeURIComponent(id)}`
  return (
    <Link to={to} className="underline underline-offset-2">
      {id}
    </Link>
  )
}

/** A link while the approval is pending. */
const ApprovalLink = ({ id, isOpen }: { id: string; isOpen: boolean }) =>
  isOpen ? (
    <Link to="/inbox" search={{ item: `approval:${id}` }} className="underline underline-offset-2">
      {id}
    </Link>
  ) : (
    <code>{id}</code>
  )
