import { Smartphone } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { formatClock, useCountdown } from '../../components/countdown.ts'
import { Refusal } from '../../components/refusal.tsx'
import { Tag, type Tone } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { useNewPhoneLink, usePhoneLinkState } from '../../data/phone-link.ts'
import { useAuthMode } from '../../data/session.ts'

/** A QR code that signs a phone in. Hidden in mode `local`, which has no accounts. */
export const Phone = () => {
  const mode = useAuthMode()
  return mode === undefined || mode === 'local' ? null : <PhonePanel />
}

const PhonePanel = () => {
  const { mutate, reset, data, error, isPending } = useNewPhoneLink()
  return (
    <Panel title="Sign in on your phone">
      <div className="flex flex-col gap-3 p-3.5">
        {data ? (
          <Link key={data.id} {...data} onAgain={() => mutate()} onClose={reset} />
        ) : (
          <>
            <p className="text-muted-foreground">
              Scan a code with your phone’s camera to sign in there. Anyone who scans it is signed in as you.
            </p>
            <Refusal error={error} />
            <div>
              <Button needsService disabled={isPending} onClick={() => mutate()}>
                <Smartphone size={15} /> Show sign-in code
              </Button>
            </div>
          </>
        )}
      </div>
    </Panel>
  )
}

type State = NonNullable<ReturnType<typeof usePhoneLinkState>['data']>['status']
const looks: Readonly<Record<State, { tone: Tone; label: string }>> = {
  open: { tone: 'live', label: 'Waiting to be scanned' },
  used: { tone: 'good', label: 'Signed in' },
  expired: { tone: 'warn', label: 'Expired' },
}

type Props = { id: string; qrSvg: string; expiresAt: string; onAgain: () => void; onClose: () => void }

const Link = ({ id, qrSvg, expiresAt, onAgain, onClose }: Props) => {
  const left = useCountdown(Date.parse(expiresAt))
  const { data } = usePhoneLinkState(id)
  const me = useMe()
  const known = data?.status ?? 'open'
  const status = known === 'open' && left === 0 ? 'expired' : known
  const { tone, label } = looks[status]
  return (
    <>
      <div className="flex items-center gap-2" role="status">
        <Tag tone={tone}>{label}</Tag>
        {status === 'open' && <span className="text-muted-foreground">{formatClock(left)} left</span>}
        {status === 'used' && <span>Your phone is signed in as {me?.name}.</span>}
      </div>
      {status === 'open' && (
        // Scanners need dark on light in both themes.
        <img
          src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
          alt="QR code that signs a phone in"
          className="size-52 rounded-md border bg-white"
        />
      )}
      <div className="flex gap-2">
        {status !== 'open' && <Button onClick={onAgain}>Show a new code</Button>}
        <Button kind="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  )
}
