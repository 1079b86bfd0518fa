/**
 * A configuration of nginx in the foreground, with its files below a folder of its own, so that it needs none of the
 * system's.
 */
export function inFolder(configuration: string, folder: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr;\n${configuration.replace('http {', `http {\n${places.join('\n')}`)}`;
}
