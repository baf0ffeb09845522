import { Link, useSearch } from '@tanstack/react-router'
import { RotateCcw, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { Copy } from '../../components/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { LongText } from '../../components/long-text.tsx'
import { Person } from '../../components/person.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { When } from '../../components/when.tsx'
import type { DeadLetter } from '../../data/dead-letters.ts'
import { LetterState } from './columns.tsx'
import { useDecision } from './decision.ts'

type Props = {
  rows: readonly DeadLetter[]
  isLoading: boolean
  onMore: (() => void) | undefined
  onClose: () => void
}

/** The dead letter in the address. Loads further pages until it is found. */
export const LetterDialog = ({ rows, isLoading, onMore, onClose }: Props) => {
  const { item } = useSearch({ from: '/tasks/queue' })
  const letter = rows.find(({ id }) => id === item)
  const isMissing = item !== undefined && !letter
  useEffect(() => {
    if (isMissing) onMore?.()
  }, [isMissing, onMore])
  if (item === undefined) return null
  return (
    <Dialog isOpen onClose={onClose} title={letter?.title ?? 'Dead letter'}>
      {letter ? <Letter letter={letter} onClose={onClose} /> : <Nowhere isLooking={isLoading || !!onMore} />}
    </Dialog>
  )
}

const Nowhere = ({ isLooking }: { isLooking: boolean }) => (
  <DialogBody>
    {isLooking ? (
      <SkeletonRows count={4} />
    ) : (
      <p role="alert">
        It is not in this list.{' '}
        <Link
          to="/tasks/queue"
          search={({ item }) => ({ status: 'all', ...(item ? { item } : {}) })}
          className="underline"
        >
          Show all
        </Link>
        : it may have been retried or discarded.
      </p>
    )}
  </DialogBody>
)

const Letter = ({ letter, onClose }: { letter: DeadLetter; onClose: () => void }) => {
  const { taskId, lastError, attempts, createdAt, resolvedAt, status, resolution } = letter
  return (
    <>
      <DialogBody>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted-foreground">
          <LetterState status={status} />
          <span>
            failed <When at={createdAt} /> after {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          </span>
          {resolvedAt && (
            <span>
              , decided <When at={resolvedAt} />
            </span>
          )}
          {resolution && <Resolved taskId={taskId} resolution={resolution} />}
        </p>
        <div className="relative">
          <LongText label="Why it failed" text={lastError} className="pr-10" />
          <div className="absolute top-0.5 right-0.5">
            <Copy text={lastError} label="Copy the error" />
          </div>
        </div>
      </DialogBody>
      <DialogFoot>
        <Link to="/tasks/$id" params={{ id: taskId }} className={`${buttonClass()} mr-auto`}>
          Open the task
        </Link>
        {status === 'pending' && <Decide letter={letter} onDone={onClose} />}
      </DialogFoot>
    </>
  )
}

type Resolution = NonNullable<DeadLetter['resolution']>

/** A retry of the task itself created a new one. */
const Resolved = ({ taskId, resolution }: { taskId: string; resolution: Resolution }) => (
  <span>
    by <Person id={resolution.by} />
    {resolution.taskId !== taskId && (
      <>
        {' '}
        as{' '}
        <Link to="/tasks/$id" params={{ id: resolution.taskId }} className="underline underline-offset-2">
          a new task
        </Link>
      </>
    )}
  </span>
)

const Decide = ({ letter, onDone }: { letter: DeadLetter; onDone: () => void }) => {
  const { decide, isDeciding } = useDecision(letter, onDone)
  return (
    <>
      <Button needsService disabled={isDeciding} onClick={() => decide('discard')}>
        <Trash2 size={14} /> Discard
      </Button>
      <Button needsService kind="primary" disabled={isDeciding} onClick={() => decide('retry')}>
        <RotateCcw size={14} /> Retry
      </Button>
    </>
  )
}
