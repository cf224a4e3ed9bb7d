/** What the cluster's operator allows pods to do; set once, when the server starts. */
export const clusterPolicy = {
  /** Whether containers may run with all privileges of their node (option `--allow-privileged`). */
  allowPrivileged: false,
};
