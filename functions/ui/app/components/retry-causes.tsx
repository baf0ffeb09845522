import { useState } from 'react'
import { orderOfCause, startBulk } from '../data/bulk-jobs.ts'
import { refetch } from '../data/change.ts'
import { causeTitle } from '../data/failures.ts'
import { WORK } from '../data/streaming.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { BulkRun } from './bulk-run.tsx'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { formatNumber } from './format.ts'

type Cause = { readonly fingerprint: string; readonly lastMessage: string; readonly pending: number }
type Props = { causes: readonly Cause[]; onClose: () => void }

/** Retries all pending failures of a cause in one job, of several causes in a job each. */
export const RetryCauses = ({ causes, onClose }: Props) => {
  const [only] = causes
  return only && causes.length === 1 ? (
    <BulkDialog order={orderOfCause('retry', only.fingerprint)} onClose={onClose} />
  ) : (
    <RetrySeveral causes={causes} onClose={onClose} />
  )
}

const RetrySeveral = ({ causes, onClose }: Props) => {
  const [isRunning, setRunning] = useState(false)
  if (isRunning)
    return (
      <BulkRun
        title="Retry causes"
        past="queued again"
        items={causes.map((cause) => ({ id: cause.fingerprint, title: causeTitle(cause) }))}
        act={(fingerprint) => startBulk(orderOfCause('retry', fingerprint))}
        onOver={() => refetch(...WORK)}
        onClose={onClose}
      />
    )
  const tasks = causes.reduce((sum, { pending }) => sum + pending, 0)
  return (
    <Dialog isOpen onClose={onClose} title={`Retry ${causes.length} causes?`}>
      <DialogBody>
        <p>{formatNumber(tasks)} tasks are queued again, with new attempts.</p>
        <ul className="text-muted-foreground">
          {causes.map((cause) => (
            <li key={cause.fingerprint} className="truncate">
              {causeTitle(cause)}
            </li>
          ))}
        </ul>
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button needsService kind="primary" onClick={() => setRunning(true)}>
          Retry {formatNumber(tasks)}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
