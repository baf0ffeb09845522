import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Secret } from '../../components/secret.tsx'
import { When } from '../../components/when.tsx'
import { type ListedUser, useCreateResetCode } from '../../data/accounts.ts'
import { useAuthMode } from '../../data/session.ts'

export const ResetCode = ({ user: { id, name } }: { user: ListedUser }) => {
  const mode = useAuthMode()
  const { mutate, data, error, isPending, reset } = useCreateResetCode(id)
  const [isOpen, setOpen] = useState(false)
  if (mode !== 'cloud') return null
  const close = () => {
    setOpen(false)
    reset()
  }
  return (
    <>
      <Button size="small" aria-label={`Reset code for ${name}`} onClick={() => setOpen(true)}>
        Reset code
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={`Reset code for ${name}`}>
        <DialogBody>
          {data ? (
            <>
              <Secret label={`Send this code to ${name}`} text={data.code} />
              <p className="text-muted-foreground">
                It works once, at {location.origin}/reset, and expires <When at={data.expiresAt} />.
              </p>
            </>
          ) : (
            <p>
              With this code, {name} can set a new password once, within an hour. All sessions and paired
              devices of the account are then revoked. Earlier codes stop working.
            </p>
          )}
          <Refusal error={error} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={close}>{data ? 'Done' : 'Cancel'}</Button>
          {!data && (
            <Button needsService kind="primary" disabled={isPending} onClick={() => mutate()}>
              Create code
            </Button>
          )}
        </DialogFoot>
      </Dialog>
    </>
  )
}
