import { AlarmClock } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody } from '../../components/dialog.tsx'
import { formatDateTime } from '../../components/format.ts'
import { nextMorning } from './mornings.ts'

const HOUR_MS = 3_600_000
const MONDAY = 1

const choices = [
  { label: '1 hour', until: (now: Date) => new Date(now.getTime() + HOUR_MS) },
  { label: 'Tomorrow', until: (now: Date) => nextMorning(now) },
  { label: 'Next week', until: (now: Date) => nextMorning(now, MONDAY) },
] as const

type Props = { count: number; onSnooze: (until: string) => void; onClose: () => void }

/** Asks until when items are hidden. */
export const SnoozeDialog = ({ count, onSnooze, onClose }: Props) => {
  const now = new Date()
  return (
    <Dialog isOpen onClose={onClose} title={count === 1 ? 'Snooze until' : `Snooze ${count} items until`}>
      <DialogBody>
        <div className="flex flex-col gap-1.5">
          {choices.map(({ label, until }) => {
            const at = until(now).toISOString()
            return (
              <Button key={label} needsService className="h-10 w-full" onClick={() => onSnooze(at)}>
                <AlarmClock size={14} /> {label}
                <span className="ml-auto font-normal text-muted-foreground">{formatDateTime(at)}</span>
              </Button>
            )
          })}
        </div>
        <p className="text-muted-foreground">Reopens earlier if it happens again.</p>
      </DialogBody>
    </Dialog>
  )
}
