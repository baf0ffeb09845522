import { Pause, Play } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { useChangeWebhook, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'
import { ResumeFailing } from './resume-failing.tsx'

/** A failing webhook is resumed by one delivery that arrives, unless a person wants otherwise. */
export const Switch = ({ webhook, isIcon = false }: { webhook: Webhook; isIcon?: boolean }) => {
  const { id, url, active, failing } = webhook
  const { mutate, isPending } = useChangeWebhook(id)
  const look = isIcon ? ({ kind: 'ghost', size: 'icon' } as const) : {}
  if (failing) return <ResumeFailing webhook={webhook} isIcon={isIcon} />
  const resumed = () => toast.done('Resumed', `Waiting deliveries for ${shortUrl(url)} are sent now.`)
  const turn = () =>
    mutate(
      { active: !active },
      {
        onSuccess: () =>
          active ? toast.done('Paused', 'New deliveries wait until it is resumed.') : resumed(),
        onError: (error) => toast.failed(active ? 'Not paused' : 'Not resumed', errorMessage(error)),
      },
    )
  const verb = active ? 'Pause' : 'Resume'
  return (
    <Button
      {...look}
      needsService
      title={verb}
      aria-label={`${verb} ${shortUrl(url)}`}
      disabled={isPending}
      onClick={turn}
    >
      <Face isIcon={isIcon} verb={verb} />
    </Button>
  )
}

const Face = ({ isIcon, verb }: { isIcon: boolean; verb: 'Pause' | 'Resume' }) => (
  <>
    {verb === 'Pause' ? <Pause size={14} /> : <Play size={14} />}
    {!isIcon && verb}
  </>
)
