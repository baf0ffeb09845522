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
  const [asked, setAsked] = useState<Decision>()
  const decided = useDecided()
  const items = letters.filter(({ status }) => status === 'pending')
  const decide = (decision: Decision) => {
    setAsked(undefined)
    setJob({ ...questions[decision].job, items, act: decisions[decision] })
  }
  const close = () => {
    setJob(undefined)
    onClear()
  }
  return (
    <SelectionBar count={letters.length} onClear={onClear}>
      <Button disabled={items.length === 0} onClick={() => setAsked('retry')}>
        <RotateCcw size={14} /> Retry {items.length}
      </Button>
      <Button disabled={items.length === 0} onClick={() => setAsked('discard')}>
        <Trash2 size={14} /> Discard {items.length}
      </Button>
      {asked && (
        <Confirm
          decision={asked}
          count={items.length}
          onCancel={() => setAsked(undefined)}
          onSure={() => decide(asked)}
        />
      )}
      {job && <BulkRun {...job} onOver={decided} onClose={close} />}
    </SelectionBar>
  )
}

type Decision = 'retry' | 'discard'

/** What is asked about before many dead letters are decided at once. */
const questions = {
  retry: {
    name: 'Retry',
    kind: 'primary',
    keep: 'Not now',
    text: 'Their tasks are queued again with all their attempts, and take their tokens again.',
    job: { title: 'Retry', past: 'queued again' },
  },
  discard: {
    name: 'Discard',
    kind: 'danger',
    keep: 'Keep',
    text: 'Their tasks stay failed. Each can still be retried from its own page, where it becomes a new task.',
    job: { title: 'Discard', past: 'discarded' },
  },
} as const

type ConfirmProps = { decision: Decision; count: number; onCancel: () => void; onSure: () => void }

const Confirm = ({ decision, count, onCancel, onSure }: ConfirmProps) => {
  const { name, kind, keep, text } = questions[decision]
  return (
    <Dialog isOpen onClose={onCancel} title={`${name} ${count} dead ${count === 1 ? 'letter' : 'letters'}?`}>
      <DialogBody>
        <p>{text}</p>
      </DialogBody>
      <DialogFoot>
        <Button onClick={onCancel}>{keep}</Button>
        <Button kind={kind} onClick={onSure}>
          {name} {count}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
