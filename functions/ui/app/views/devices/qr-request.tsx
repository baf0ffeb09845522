import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { formatClock, useCountdown } from '../../components/countdown.ts'
import { Secret } from '../../components/secret.tsx'
import { Tag, type Tone } from '../../components/tag.tsx'
import { usePairingState } from '../../data/devices.ts'

type State = NonNullable<ReturnType<typeof usePairingState>['data']>

const looks: Readonly<Record<State['status'], { tone: Tone; label: string }>> = {
  pending: { tone: 'live', label: 'Waiting to be scanned' },
  approved: { tone: 'good', label: 'Approved' },
  rejected: { tone: 'bad', label: 'Rejected' },
  expired: { tone: 'warn', label: 'Expired' },
}

type Props = {
  requestId: string
  qrSvg: string
  pairingUrl: string
  expiresAt: string
  onAgain: () => void
  onClose: () => void
}

const codeIn = (pairingUrl: string) => new URL(pairingUrl).searchParams.get('code') ?? ''

export const QrRequest = ({ requestId, qrSvg, pairingUrl, expiresAt, onAgain, onClose }: Props) => {
  const left = useCountdown(Date.parse(expiresAt))
  const { data } = usePairingState(requestId)
  const known = data?.status ?? 'pending'
  const status = known === 'pending' && left === 0 ? 'expired' : known
  const { tone, label } = looks[status]
  return (
    <>
      <div className="flex items-center gap-2" role="status">
        <Tag tone={tone}>{label}</Tag>
        {status === 'pending' && <span className="text-muted-foreground">{formatClock(left)} left</span>}
        {data?.reason && <span className="text-muted-foreground">{data.reason}</span>}
      </div>
      {status === 'pending' && <Code qrSvg={qrSvg} code={codeIn(pairingUrl)} />}
      {data?.token && <Secret label="Session token of the new device" text={data.token} />}
      <div className="flex gap-2">
        {status !== 'pending' && <Button onClick={onAgain}>Show a new code</Button>}
        <Button kind="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  )
}

const Code = ({ qrSvg, code }: { qrSvg: string; code: string }): ReactNode => (
  <div className="flex flex-col items-center gap-2 self-start">
    {/* Scanners need dark on light in both themes. */}
    <img
      src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
      alt={`QR code for the pairing code ${code}`}
      className="size-52 rounded-md border bg-white"
    />
    <p className="font-mono text-base tracking-widest">{code.replaceAll('-', ' ')}</p>
  </div>
)
