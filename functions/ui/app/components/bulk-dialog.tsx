import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type BulkOrder, useBulkJob, useBulkPreview, useCancelBulk, useStartBulk } from '../data/bulk-jobs.ts'
import { isFollowing } from './bulk-outcome.ts'
import { BulkProgress } from './bulk-progress.tsx'
import { bulkCount, bulkWords } from './bulk-words.ts'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { formatNumber } from './format.ts'
import { Refusal } from './refusal.tsx'
import { SkeletonRows } from './skeleton.tsx'

type Props = {
  order: BulkOrder
  /** `started`: a job was created. */
  onClose: (started: boolean) => void
}

/** Shows a dry run, starts the job, and follows it. The job continues when the dialog is closed. */
export const BulkDialog = ({ order, onClose }: Props) => {
  const [jobId, setJobId] = useState<string>()
  return jobId === undefined ? (
    <Ask order={order} onKeep={() => onClose(false)} onStarted={setJobId} />
  ) : (
    <Follow order={order} jobId={jobId} onClose={() => onClose(true)} />
  )
}

type AskProps = { order: BulkOrder; onKeep: () => void; onStarted: (jobId: string) => void }

const Ask = ({ order, onKeep, onStarted }: AskProps) => {
  const { data: preview, error } = useBulkPreview(order)
  const { mutate, isPending, error: refused } = useStartBulk()
  const { target, body } = order
  const { name, kind, keep, text } = bulkWords(target, body.action)
  const count = preview?.count
  const leavesOut = target === 'tasks' && body.filter?.retried === false
  const begin = () => mutate(order, { onSuccess: ({ id }) => onStarted(id) })
  return (
    <Dialog isOpen onClose={onKeep} title={`${name} ${bulkCount(target, count)}?`}>
      <DialogBody>
        <p>
          {text}
          {leavesOut && ' Tasks that were already retried are skipped.'}
        </p>
        <Refusal error={error ?? refused} />
        {!preview && !error && <SkeletonRows count={3} />}
        {preview && preview.count > 0 && <Sample preview={preview} />}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onKeep}>{keep}</Button>
        {/* Mounted again once it can be pressed: Enter then begins what only queues tasks. */}
        <Button
          key={count === undefined ? 'loading' : 'ready'}
          autoFocus={count !== undefined && kind === 'primary'}
          needsService
          kind={kind}
          disabled={!count || isPending}
          onClick={begin}
        >
          {name} {count === undefined ? '…' : formatNumber(count)}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

const SHOWN = 5

const Sample = ({ preview: { count, sample } }: { preview: Preview }) => {
  const listed = sample.slice(0, SHOWN)
  const others = count - listed.length
  return (
    <div className="text-muted-foreground">
      <ul aria-label="Some of these">
        {listed.map(({ id, title }) => (
          <li key={id} className="truncate">
            {title}
          </li>
        ))}
      </ul>
      {others > 0 && <p>and {formatNumber(others)} more</p>}
    </div>
  )
}
type Preview = NonNullable<ReturnType<typeof useBulkPreview>['data']>

type FollowProps = Pick<Props, 'order'> & { jobId: string; onClose: () => void }

const Follow = ({ order: { target, body }, jobId, onClose }: FollowProps) => {
  const { data: job, error } = useBulkJob(jobId)
  const cancelling = useCancelBulk()
  const isOver = job !== undefined && job.status !== 'running'
  return (
    <Dialog isOpen onClose={onClose} title={`${bulkWords(target, body.action).name} ${bulkCount(target)}`}>
      <DialogBody>
        {job && <BulkProgress job={job} />}
        <Refusal error={cancelling.error ?? (job ? undefined : error)} />
      </DialogBody>
      <DialogFoot>
        <Link to="/tasks/bulk/$id" params={{ id: jobId }} className="mr-auto text-muted-foreground underline">
          Open the job
        </Link>
        {job && !isOver && (
          <Button needsService disabled={cancelling.isPending} onClick={() => cancelling.mutate(jobId)}>
            {isFollowing(job) ? 'Stop following' : 'Cancel job'}
          </Button>
        )}
        <Button kind={isOver ? 'primary' : 'plain'} onClick={onClose}>
          {isOver ? 'Done' : 'Close'}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
