import { QrCode } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Panel } from '../../components/view.tsx'
import { useNewQr } from '../../data/devices.ts'
import { QrRequest } from './qr-request.tsx'

/** A pairing code, also as a QR code, that a signed-in device approves; the token of the new session then appears. */
export const ShowCode = () => {
  const { mutate, reset, data, error, isPending } = useNewQr()
  return (
    <Panel title="Session for a new device">
      <div className="flex flex-col gap-3 p-3.5">
        {data ? (
          <QrRequest key={data.requestId} {...data} onAgain={() => mutate()} onClose={reset} />
        ) : (
          <>
            <p className="text-muted-foreground">
              Show a pairing code, approve it on a device that is signed in, and copy the session token here.
            </p>
            <Refusal error={error} />
            <div>
              <Button needsService disabled={isPending} onClick={() => mutate()}>
                <QrCode size={15} /> Show pairing code
              </Button>
            </div>
          </>
        )}
      </div>
    </Panel>
  )
}
