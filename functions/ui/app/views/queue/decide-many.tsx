import { RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type BulkJob, BulkRun } from '../../components/bulk-run.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { SelectionBar } from '../../components/selection-bar.tsx'
import { type DeadLetter, decisions, useDecided } from '../../data/dead-letters.ts'

type Props = { letters: readonly DeadLetter[]; onClear: () => void }

/** What can be done with the dead letters that are selected; those that are decided already are left out. */
export const DecideMany = ({ letters, onClear }: Props) => {
  const [job, setJob] = useState<BulkJob>()
  const [isSure, setSure] = useState(true)
  const decided = useDecided()
  const items = letters.filter(({ status }) => status === 'pending')
  const retry = () => setJob({ title: 'Retry', past: 'queued again', items, act: decisions.retry })
  const discard = () => {
    setSure(true)
    setJob({ title: 'Discard', past: 'discarded', items, act: decisions.discard })
  }
  const close = () => {
    setJob(undefined)
    onClear()
  }
  return (
    <SelectionBar count={letters.length} onClear={onClear}>
      <Button disabled={items.length === 0} onClick={retry}>
        <RotateCcw size={14} /> Retry {items.length}
      </Button>
      <Button disabled={items.length === 0} onClick={() => setSure(false)}>
        <Trash2 size={14} /> Discard {items.length}
      </Button>
      {!isSure && <Confirm count={items.length} onCancel={() => setSure(true)} onSure={discard} />}
      {job && <BulkRun {...job} onOver={decided} onClose={close} />}
    </SelectionBar>
  )
}

type ConfirmProps = { count: number; onCancel: () => void; onSure: () => void }

/** A discarded dead letter does not come back, so many at once are asked about. */
const Confirm = ({ count, onCancel, onSure }: ConfirmProps) => (
  <Dialog isOpen onClose={onCancel} title={`Discard ${count} dead ${count === 1 ? 'letter' : 'letters'}?`}>
    <DialogBody>
      <p>
        Their tasks stay failed. Each can still be retried from its own page, where it becomes a new task.
      </p>
    </DialogBody>
    <DialogFoot>
      <Button onClick={onCancel}>Keep</Button>
      <Button kind="danger" onClick={onSure}>
        Discard {count}
      </Button>
    </DialogFoot>
  </Dialog>
)
