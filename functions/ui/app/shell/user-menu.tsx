import { Link } from '@tanstack/react-router'
import { ChevronsUpDown, KeyRound, LogOut, Settings } from 'lucide-react'
import { Button, buttonClass } from '../components/button.tsx'
import { Popover, PopoverClose } from '../components/popover.tsx'
import { Tag } from '../components/tag.tsx'
import { useMe } from '../data/me.ts'
import { useNeedsSignIn } from '../data/session.ts'
import { closeOverlay } from './overlay.ts'
import { useSignOut } from './sign-out.ts'

const entry = `${buttonClass({ kind: 'ghost' })} w-full text-foreground`

export const UserMenu = () => {
  const user = useMe()
  if (!user) return <span className="flex-1" />
  return (
    <Popover
      label="Account"
      side="top"
      trigger={
        <Button kind="ghost" size="small" className="min-w-0 flex-1 shrink" title={user.email}>
          <span className="min-w-0 flex-1 truncate text-left">{user.name}</span>
          <ChevronsUpDown size={13} className="shrink-0" />
        </Button>
      }
    >
      <div className="flex items-center gap-2 border-b px-3 py-2.5">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">{user.name}</p>
          <p className="truncate text-muted-foreground">{user.email}</p>
        </div>
        {user.role === 'admin' && <Tag>Admin</Tag>}
      </div>
      <div className="flex flex-col p-1.5">
        <PopoverClose
          nativeButton={false}
          onClick={closeOverlay}
          render={
            <Link to="/settings" className={entry}>
              <Settings size={15} /> Settings
            </Link>
          }
        />
        <Leave />
      </div>
    </Popover>
  )
}

/** An installation without sign-in offers to set an access key. */
const Leave = () => {
  const needsSignIn = useNeedsSignIn()
  const { leave, isPending } = useSignOut()
  if (needsSignIn === false)
    return (
      <PopoverClose
        nativeButton={false}
        onClick={closeOverlay}
        render={
          <Link to="/settings/access-key" className={entry}>
            <KeyRound size={15} /> Set an access key
          </Link>
        }
      />
    )
  return (
    <Button kind="ghost" className="w-full text-foreground" disabled={isPending} onClick={() => void leave()}>
      <LogOut size={15} /> Sign out
    </Button>
  )
}
