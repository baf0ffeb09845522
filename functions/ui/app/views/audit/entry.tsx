import { Button } from '../../components/button.tsx'
import { Copy } from '../../components/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { formatFullDateTime } from '../../components/format.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import type { AuditFilters, AuditRecord } from '../../data/audit.ts'
import { useUserName } from '../../data/people.ts'
import { actionLabel, detailText } from './actions.ts'

type Props = { record: AuditRecord; onClose: () => void; onOnly: (filters: AuditFilters) => void }

export const Entry = ({ record, onClose, onOnly }: Props) => {
  const userName = useUserName()
  const { id, timestamp, userId, action, details } = record
  return (
    <Dialog isOpen onClose={onClose} title={actionLabel(action)} description={formatFullDateTime(timestamp)}>
      <DialogBody>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
          <Fact name="Action" value={action} />
          <Fact name="By" value={userName(userId) === userId ? userId : `${userName(userId)} (${userId})`} />
          {Object.entries(details).map(([name, value]) => (
            <Fact key={name} name={name} value={value} />
          ))}
          <Fact name="Record" value={id} />
        </dl>
      </DialogBody>
      <DialogFoot>
        <span className="mr-auto">
          <Copy text={JSON.stringify(record, undefined, 2)} label="Copy as JSON" />
        </span>
        <Button onClick={() => onOnly({ action })}>Only this action</Button>
        <Button onClick={() => onOnly({ userId })}>Only this user</Button>
      </DialogFoot>
    </Dialog>
  )
}

const Fact = ({ name, value }: { name: string; value: unknown }) => (
  <>
    <dt className="text-muted-foreground">{name}</dt>
    <dd className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">
      <TextPieces text={detailText(value, 2)} />
    </dd>
  </>
)
