/** The disk in memory as the engine's file layer. */
import { constants } from 'node:fs';
import type { FileLayer } from '../../files/layer.js';
import type { Disk } from './disk.js';

export function filesOn(disk: Disk): FileLayer {
  return {
    open: disk.open,
    write: disk.write,
    fsync: disk.sync,
    fsyncAsync: async (fd) => disk.sync(fd),
    truncate: disk.truncate,
    close: disk.close,
    rename: disk.rename,
    link: disk.link,
    unlink: disk.unlink,
    mkdir: disk.mkdir,
    chmod: disk.chmod,
    copy(from, to) {
      const fd = disk.open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
      try {
        disk.write(fd, disk.readFile(from));
      } finally {
        disk.close(fd);
      }
    },
    read: disk.readFile,
  };
}
