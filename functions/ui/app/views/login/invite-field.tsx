import { TextField } from '../../components/field.tsx'

type Props = { invite: string; setInvite: (invite: string) => void; isOpen: boolean }

/** An invite code that is passed through the provider's sign-in. */
export const InviteField = ({ invite, setInvite, isOpen }: Props) => (
  <details open={isOpen}>
    <summary className="rounded text-muted-foreground hover:text-foreground">I have an invite code</summary>
    <div className="pt-2">
      <TextField
        label="Invite code"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={invite}
        onChange={({ target }) => setInvite(target.value.trim())}
        hint="Needed once, when your account is created."
      />
    </div>
  </details>
)
