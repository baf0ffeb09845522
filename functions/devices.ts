import { serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openCloudCipher } from '../lib/app/cloud-ports.ts'
import { deviceRoutes } from '../lib/devices/contract.ts'
import { deviceHandlers } from '../lib/devices/handlers.ts'
import { joinDevices } from '../lib/join/devices.ts'

export const handler = serveGroup(
  deviceRoutes,
  openGroup(({ auth, ports, config }) => {
    const cipher = openCloudCipher(config, ports)
    return deviceHandlers({ devices: joinDevices(auth, { ...ports, cipher }) })
  }),
)
