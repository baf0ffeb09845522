import { Pause } from 'lucide-react'
import { useState } from 'react'
import { type BulkJob, BulkRun } from '../../components/bulk-run.tsx'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { SelectionBar } from '../../components/selection-bar.tsx'
import { changeWebhook, refetchWebhooks, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'

type Props = { webhooks: readonly Webhook[]; onClear: () => void }

export const SwitchMany = ({ webhooks, onClear }: Props) => {
  const [job, setJob] = useState<BulkJob>()
  const named = (active: boolean) =>
    webhooks.filter((one) => one.active === active).map(({ id, url }) => ({ id, title: shortUrl(url) }))
  const active = named(true)
  const paused = named(false)
  const pause = () =>
    setJob({
      title: 'Pause',
      past: 'paused',
      items: active,
      act: (id) => changeWebhook(id, { active: false }),
    })
  const resume = async () =>
    setJob({
      title: 'Resume',
      past: 'resumed',
      items: paused,
      act: (id) => changeWebhook(id, { active: true }),
    })
  const close = () => {
    setJob(undefined)
    onClear()
  }
  return (
    <SelectionBar count={webhooks.length} onClear={onClear}>
      <Button disabled={active.length === 0} onClick={pause}>
        <Pause size={14} /> Pause {active.length}
      </Button>
      <Confirm
        verb={`Resume ${paused.length}`}
        title={`Resume ${paused.length}`}
        kind="plain"
        size="normal"
        keep="Cancel"
        disabled={paused.length === 0}
        onConfirm={resume}
      >
        Waiting deliveries are sent immediately. Failed ones stay failed. To send them again, use Redeliver
        failed.
      </Confirm>
      {job && <BulkRun {...job} onOver={refetchWebhooks} onClose={close} />}
    </SelectionBar>
  )
}
