import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { type ListedUser, useChangeUser } from '../../data/accounts.ts'
import { type ProviderName, providers } from '../../data/providers.ts'

const names = Object.keys(providers) as ProviderName[]

export const UnlinkDialog = ({ user: { id, name } }: { user: ListedUser }) => {
  const [isOpen, setOpen] = useState(false)
  const { mutate, error, isPending, reset } = useChangeUser(id)
  const close = () => {
    setOpen(false)
    reset()
  }
  const unlink = (chosen: readonly ProviderName[]) =>
    mutate(
      { unlink: [...chosen] },
      {
        onSuccess: () => {
          close()
          toast.done(`Unlinked from ${name}`, chosen.map((one) => providers[one].label).join(', '))
        },
      },
    )
  return (
    <>
      <Button size="small" aria-label={`Unlink accounts of ${name}`} onClick={() => setOpen(true)}>
        Unlink
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={`Unlink accounts of ${name}`}>
        <Form
          label="Unlink accounts"
          className="flex min-h-0 flex-col"
          onSend={(texts) => unlink(names.filter((one) => texts[one]))}
        >
          <DialogBody>
            <p>The user account stays.</p>
            <fieldset className="flex flex-col gap-2">
              <legend className="pb-1 font-medium">Accounts</legend>
              {names.map((one) => (
                <label key={one} className="flex items-center gap-2">
                  <input type="checkbox" name={one} className="size-3.5 shrink-0" />
                  {providers[one].label.replace(/^./, (first) => first.toUpperCase())}
                </label>
              ))}
            </fieldset>
            <Refusal error={error} />
          </DialogBody>
          <DialogFoot>
            <Button onClick={close}>Cancel</Button>
            <Button kind="danger" type="submit" disabled={isPending}>
              Unlink
            </Button>
          </DialogFoot>
        </Form>
      </Dialog>
    </>
  )
}
